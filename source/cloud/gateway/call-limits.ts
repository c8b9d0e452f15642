// Limits on callers: requests per minute of a key, and attempts without a valid key per address.

import { FailedAttempts, RequestBudget } from "../../api-keys/limits.ts";
import type { Clock } from "../../base/clock.ts";

export class CallLimits {
  readonly #clock: Clock;
  readonly #log: (text: string) => void;
  readonly #failures: FailedAttempts;
  /** Keyed by requests per minute. */
  readonly #budgets = new Map<number, RequestBudget>();

  /** @param log called with the first failed attempt of an address in a minute */
  constructor(clock: Clock, log: (text: string) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#failures = new FailedAttempts(clock);
  }

  /** Counts a request of a key. @returns milliseconds to wait, 0 if it is allowed */
  countRequest(keyId: string, perMinute: number): number {
    return this.#budget(perMinute).take(keyId);
  }

  /** Counts an attempt without a valid key. @returns milliseconds to wait, 0 if it is allowed */
  countFailure(address: string): number {
    const { isNews, unreported, waitMs } = this.#failures.note(address);
    if (isNews) {
      const more = unreported > 0 ? `, and ${unreported} more since the last report` : "";
      this.#log(`request from ${address} without a valid key${more}`);
    }
    return waitMs;
  }

  #budget(perMinute: number): RequestBudget {
    const known = this.#budgets.get(perMinute);
    if (known !== undefined) return known;
    const budget = new RequestBudget(perMinute, this.#clock);
    this.#budgets.set(perMinute, budget);
    return budget;
  }
}
