// Limits a download's bytes per second, over all its connections.
import { type Clock, systemClock } from "../../../base/clock.ts";
import { pause } from "../retry.ts";

const bytesPerSecondOfConnection = 2 * 1024 ** 2;
/** Waits shorter than a timer's precision cost more than they save. */
const shortestDelayMs = 5;

export class RateLimit {
  readonly #bytesPerSecond: number;
  readonly #clock: Pick<Clock, "now">;
  #freeAtMs = 0;

  /** @param bytesPerSecond above 0 */
  constructor(bytesPerSecond: number, clock: Pick<Clock, "now"> = systemClock) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
  }

  /** Number of connections that the limit can keep busy. */
  get usefulConnections(): number {
    return Math.ceil(this.#bytesPerSecond / bytesPerSecondOfConnection);
  }

  /** Accounts for received bytes. Returns the milliseconds to pause. */
  delayAfter(bytes: number): number {
    const now = this.#clock.now();
    this.#freeAtMs = Math.max(this.#freeAtMs, now) + (bytes / this.#bytesPerSecond) * 1000;
    const delayMs = this.#freeAtMs - now;
    return delayMs < shortestDelayMs ? 0 : delayMs;
  }

  /** Accounts for received bytes; a returned promise settles when more may come. */
  take(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    const delayMs = this.delayAfter(bytes);
    return delayMs === 0 ? undefined : pause(delayMs, signal);
  }
}
