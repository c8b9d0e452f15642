// Waits for a state by looking again and again, and says what it saw when it never comes.
import { setTimeout as wait } from "node:timers/promises";

const usualLimitMs = 20_000;
/** Between looks: short at first, as most states come soon, and many looks start a command or a request. */
const pausesMs = { first: 20, growth: 1.25, last: 100 };

/** Resolves with the first value that `isReached` accepts. */
export async function until<T>(
  look: () => T | Promise<T>,
  isReached: (value: T) => boolean,
  limitMs: number = usualLimitMs,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  let pauseMs = pausesMs.first;
  while (true) {
    const value = await look();
    if (isReached(value)) return value;
    if (Date.now() > deadline) {
      throw new Error(`the state never came; last seen: ${JSON.stringify(value, null, 1)}`);
    }
    await wait(pauseMs);
    pauseMs = Math.min(pauseMs * pausesMs.growth, pausesMs.last);
  }
}
