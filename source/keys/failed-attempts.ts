// Requests without a valid key, counted by where they come from: told once a minute, then slowed.
import { type Clock, systemClock } from "../base/clock.ts";

const windowMs = 60_000;
const attemptsPerWindow = 20;
const rememberedAddresses = 10_000;

export interface Attempt {
  /** The first one of an address within a minute; further ones would only fill the log. */
  isNews: boolean;
  /** Failures since the one that was told last. */
  untold: number;
  /** Milliseconds that the address should wait; 0 while it has not failed too often. */
  waitMs: number;
}

export class FailedAttempts {
  readonly #clock: Clock;
  readonly #windows = new Map<string, { begin: number; count: number }>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  note(address: string): Attempt {
    const now = this.#clock.now();
    const window = this.#windows.get(address);
    if (window !== undefined && now - window.begin < windowMs) {
      window.count += 1;
      const isTooOften = window.count > attemptsPerWindow;
      return { isNews: false, untold: 0, waitMs: isTooOften ? window.begin + windowMs - now : 0 };
    }
    this.#windows.delete(address);
    this.#windows.set(address, { begin: now, count: 1 });
    for (const oldest of this.#windows.keys()) {
      if (this.#windows.size <= rememberedAddresses) break;
      this.#windows.delete(oldest);
    }
    return { isNews: true, untold: (window?.count ?? 1) - 1, waitMs: 0 };
  }
}
