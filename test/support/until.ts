// Waits for a state by looking again and again, and says what it saw when it never comes.
import { setTimeout as wait } from "node:timers/promises";

const usualLimitMs = 20_000;
const shortestPauseMs = 20;
const longestPauseMs = 200;

/** Resolves with the first value that `isReached` accepts. */
export async function until<T>(
  look: () => T | Promise<T>,
  isReached: (value: T) => boolean,
  limitMs: number = usualLimitMs,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  while (true) {
    const lookedAtMs = Date.now();
    const value = await look();
    if (isReached(value)) return value;
    if (Date.now() > deadline) {
      throw new Error(`the state never came; last seen: ${JSON.stringify(value, null, 1)}`);
    }
    // A look that runs a program takes no more than a quarter of the time.
    const tookMs = Date.now() - lookedAtMs;
    await wait(Math.min(longestPauseMs, Math.max(shortestPauseMs, 3 * tookMs)));
  }
}
