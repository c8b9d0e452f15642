// Delay before a replica that exited by itself is started again.

const longestMs = 60_000;
const spread = 0.2;

/** Failed starts in a row after which callers get an error instead of waiting. */
export const failuresUntilFailed = 3;

/**
 * Time ready after which a replica counts as stable, so that its exit starts a new row of failures.
 */
export const stableMs = 10_000;

/** Exit reasons that a retry would only repeat. */
const lasting: ReadonlySet<string> = new Set([
  "import_error",
  "missing_executable",
  "returned",
  "script_error",
  "script_missing",
  "startup_timeout",
  "syntax_error",
  "target_missing",
  "usage",
]);

export function isLasting(reason: string): boolean {
  return lasting.has(reason);
}

/**
 * Returns 1, 2, 4 … 60 s, each ± 20 %, so that replicas do not all start at once.
 *
 * @param failures in a row, including this one; 1 or more
 * @param random 0..1
 */
export function backOffMs(failures: number, random: number): number {
  const plain = Math.min(longestMs, 1000 * 2 ** Math.min(failures - 1, 16));
  return Math.round(plain * (1 - spread + 2 * spread * random));
}

/**
 * Returns the delay for replicas that were ready: the first failure of a row is replaced at once.
 */
export function backOffOfServingMs(failures: number, random: number): number {
  return failures <= 1 ? 0 : backOffMs(failures - 1, random);
}

/**
 * Returns the time left until `notBefore`. A time beyond the longest delay was written before the
 * clock was set back, and counts as over.
 *
 * @param notBefore milliseconds since 1970, as is `now`
 */
export function backOffLeftMs(notBefore: number, now: number): number {
  const leftMs = notBefore - now;
  return leftMs > longestMs * (1 + spread) ? 0 : Math.max(0, leftMs);
}
