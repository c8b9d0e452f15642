// Limits on callers: requests per minute of a key, and attempts without a valid key per address.
import type { Clock } from "../../base/clock.ts";
import { FailedAttempts, RequestBudget } from "../../keys/limits.ts";

/** Call to count: a request of a key that has a limit, or an attempt without a valid key. */
export type CountedCall =
  | { kind: "request"; keyId: string; perMinute: number }
  | { kind: "failure"; address: string };

export interface CallLimits {
  /** @returns milliseconds to wait, 0 if the call is allowed */
  count(call: CountedCall): number | Promise<number>;
}

export class OwnCallLimits implements CallLimits {
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

  count(call: CountedCall): number {
    if (call.kind === "request") return this.#budget(call.perMinute).take(call.keyId);
    return this.#countFailure(call.address);
  }

  #countFailure(address: string): number {
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
