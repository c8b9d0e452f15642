// Counts requests without a valid key by address: logs once a minute, then slows them down, longer
// each time.
import { type Clock, systemClock } from "../base/clock.ts";

const windowMs = 60_000;
/** Each further failure doubles the time over which failures count, up to this. */
const longestWindowMs = 3_600_000;
const attemptsPerWindow = 20;
const rememberedAddresses = 10_000;

export interface Attempt {
  /** The first one of an address within a minute; further ones would only fill the log. */
  isNews: boolean;
  /** Failures since the last one that was logged. */
  unreported: number;
  /** Milliseconds that the address should wait; 0 while it has not failed too often. */
  waitMs: number;
}

interface Window {
  begin: number;
  lengthMs: number;
  count: number;
}

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

/** Twice the last wait if that was full and ended recently. */
function nextLength(last: Window | undefined, now: number): number {
  if (last === undefined || !isFull(last) || now >= endOf(last) + last.lengthMs) return windowMs;
  return Math.min(2 * last.lengthMs, longestWindowMs);
}

function isFull({ count }: Window): boolean {
  return count > attemptsPerWindow;
}

function endOf({ begin, lengthMs }: Window): number {
  return begin + lengthMs;
}
