// Keeps a model that crashes again and again from being loaded again and again.
import type { Clock } from "../../base/clock.ts";

const firstDelayMs = 1000;
const longestDelayMs = 60_000;

interface Record {
  crashes: number;
  notBefore: number;
}

/** The first crash costs nothing; from the second in a row the next load waits, twice as long each time. */
export class BackOff {
  readonly #clock: Clock;
  readonly #records = new Map<string, Record>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the model may be loaded; 0 when it may be now. */
  remainingMs(key: string): number {
    const record = this.#records.get(key);
    return record === undefined ? 0 : Math.max(0, record.notBefore - this.#clock.now());
  }

  noteCrash(key: string): void {
    const crashes = (this.#records.get(key)?.crashes ?? 0) + 1;
    const delay = crashes < 2 ? 0 : Math.min(longestDelayMs, firstDelayMs * 2 ** (crashes - 2));
    this.#records.set(key, { crashes, notBefore: this.#clock.now() + delay });
  }

  /** An answer was finished: the model works. */
  noteSuccess(key: string): void {
    this.#records.delete(key);
  }
}
