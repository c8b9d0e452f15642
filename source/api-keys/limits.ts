// Rate limits: requests without a valid key by address, and requests of each key.
import { type Clock, systemClock } from "../base/clock.ts";

const minuteMs = 60_000;
/** Each further full window doubles the next one, up to this. */
const longestWindowMs = 3_600_000;
const attemptsPerWindow = 20;
const rememberedAddresses = 10_000;
/** Largest number of keys to remember. A key with a full budget is not remembered. */
const rememberedKeys = 10_000;

export interface Attempt {
  /** True for the first failure of an address in a window; others are not worth a log line. */
  isNews: boolean;
  /** Failures since the last logged one. */
  unreported: number;
  /** Milliseconds that the address must wait; 0 below the limit. */
  waitMs: number;
}

interface Window {
  begin: number;
  lengthMs: number;
  count: number;
}

/** Counts requests without a valid key: reports one a minute, then asks for ever longer waits. */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  note(address: string): Attempt {
    const now = this.#clock.now();
    const window = this.#windows.get(address);
    if (window !== undefined && now < endOf(window)) {
      window.count += 1;
      return { isNews: false, unreported: 0, waitMs: isFull(window) ? endOf(window) - now : 0 };
    }
    this.#windows.delete(address);
    this.#windows.set(address, { begin: now, lengthMs: nextLength(window, now), count: 1 });
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= rememberedAddresses) break;
      this.#windows.delete(oldest);
    }
    return { isNews: true, unreported: (window?.count ?? 1) - 1, waitMs: 0 };
  }
}

/** Doubles the last window if it was full and ended recently. */
function nextLength(last: Window | undefined, now: number): number {
  if (last === undefined || !isFull(last) || now >= endOf(last) + last.lengthMs) return minuteMs;
  return Math.min(2 * last.lengthMs, longestWindowMs);
}

function isFull({ count }: Window): boolean {
  return count > attemptsPerWindow;
}

function endOf({ begin, lengthMs }: Window): number {
  return begin + lengthMs;
}

/** Limits the requests of each key per minute. */
export class RequestBudget {
  readonly #perMinute: number;
  readonly #clock: Clock;
  readonly #budgets = new Map<string, { left: number; at: number }>();

  /** @param perMinute also the size of a burst */
  constructor(perMinute: number, clock: Clock = systemClock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Takes a request from a key's budget. @returns 0, or the milliseconds until one is allowed */
  take(keyId: string): number {
    const now = this.#clock.now();
    const budget = this.#budgets.get(keyId);
    const refilled = budget === undefined ? 0 : ((now - budget.at) / minuteMs) * this.#perMinute;
    const left = Math.min(this.#perMinute, (budget?.left ?? this.#perMinute) + refilled);
    const isAllowed = left >= 1;
    this.#budgets.delete(keyId); // keeps the map ordered by last use
    this.#budgets.set(keyId, { left: isAllowed ? left - 1 : left, at: now });
    for (const oldest of this.#budgets.keys()) {
      if (this.#budgets.size <= rememberedKeys) break;
      this.#budgets.delete(oldest);
    }
    return isAllowed ? 0 : ((1 - left) / this.#perMinute) * minuteMs;
  }
}
