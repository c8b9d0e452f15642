// Growing delay before a model that keeps crashing is loaded again.
import type { Clock } from "../../base/clock.ts";

const firstDelayMs = 1000;
const longestDelayMs = 60_000;

interface Record {
  crashes: number;
  notBefore: number;
}

/** The first crash costs nothing; from the second in a row the delay doubles each time. */
export class BackOff {
  readonly #clock: Clock;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the model may be loaded; 0 for now. */
  remainingMs(key: string): number {
    const record = this.#records.get(key);
    return record === undefined ? 0 : Math.max(0, record.notBefore - this.#clock.now());
  }

  noteCrash(key: string): void {
    const crashes = (this.#records.get(key)?.crashes ?? 0) + 1;
    const delay = crashes < 2 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (crashes - 2));
    this.#records.set(key, { crashes, notBefore: this.#clock.now() + delay });
  }

  /** Resets the delay: the model has finished an answer. */
  noteSuccess(key: string): void {
    this.#records.delete(key);
  }
}
