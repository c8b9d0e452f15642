// Holds a download to so many bytes each second, over all its connections.
import { pause } from "../retry.ts";

const bytesPerSecondOfConnection = 2 * 1024 ** 2;

export class RateLimit {
  readonly #bytesPerSecond: number;
  #freeAtMs = 0;

  /** @param bytesPerSecond above 0 */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** How many connections can be kept busy within the limit. */
  get usefulConnections(): number {
    return Math.ceil(this.#bytesPerSecond / bytesPerSecondOfConnection);
  }

  /** Accounts for bytes that came; the promise, when there is one, settles when more may come. */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const now = performance.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, now) + (bytes / this.#bytesPerSecond) * 1000;
    const delayMs = this.#freeAtMs - now;
    // Below the timer's own precision a wait would only cost.
    return delayMs < 5 ? undefined : pause(delayMs, signal);
  }
}
