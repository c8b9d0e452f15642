// A key's request rate limit: a budget that refills steadily.
import { type Clock, systemClock } from "../base/clock.ts";

const minuteMs = 60_000;
/** Limit on the keys remembered at a time; a full budget needs no memory. */
const rememberedKeys = 10_000;

export class RequestBudget {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #budgets = new Map<string, { left: number; at: number }>();

  /** @param perMinute also the size of a burst */
  constructor(perMinute: number, clock: Clock = systemClock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Takes one request from a key's budget. @returns 0, or the milliseconds until there is one */
  take(keyId: string): number {
    const now = this.#clock.now();
    const budget = this.#budgets.get(keyId);
    const refilled = budget === undefined ? 0 : ((now - budget.at) / minuteMs) * this.#perMinute;
    const left = Math.min(this.#perMinute, (budget?.left ?? this.#perMinute) + refilled);
    const isAllowed = left >= 1;
    this.#budgets.delete(keyId); // the longest unused one comes first in the map
    this.#budgets.set(keyId, { left: isAllowed ? left - 1 : left, at: now });
    for (const oldest of this.#budgets.keys()) {
      if (this.#budgets.size <= rememberedKeys) break;
      this.#budgets.delete(oldest);
    }
    return isAllowed ? 0 : ((1 - left) / this.#perMinute) * minuteMs;
  }
}
