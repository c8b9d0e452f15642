// Clock that tests can replace.

export interface Clock {
  /** Monotonic milliseconds, for durations. */
  now(): number;
  /** Wall-clock milliseconds since 1970, for timestamps. */
  wallMs(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wallMs: () => Date.now(),
};
