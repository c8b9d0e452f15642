// How long to wait before a replica that ended by itself is started again.

const longestMs = 60_000;
const spread = 0.2;

/** So many starts in a row must fail before callers are told so instead of waiting. */
export const failuresUntilFailed = 3;

/** A replica that was ready for so long is sound: what ends it is nothing that comes again at once. */
export const stableMs = 10_000;

/** Endings that trying again would only repeat. */
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
 * 1, 2, 4 … 60 s, each ± 20 %, so that many replicas do not start at the same moment.
 *
 * @param failures how many in a row, this one counted; 1 or more
 * @param random 0..1
 */
export function backOffMs(failures: number, random: number): number {
  const plain = Math.min(longestMs, 1000 * 2 ** Math.min(failures - 1, 16));
  return Math.round(plain * (1 - spread + 2 * spread * random));
}

/** The same for replicas that were ready: the first of a row is replaced at once. */
export function backOffOfServingMs(failures: number, random: number): number {
  return failures <= 1 ? 0 : backOffMs(failures - 1, random);
}

/**
 * How long it still is until a time to begin again, which is never longer away than the longest
 * wait: one that is comes from before the clock was put back.
 *
 * @param notBefore milliseconds since 1970, as is `now`
 */
export function backOffLeftMs(notBefore: number, now: number): number {
  const leftMs = notBefore - now;
  return leftMs > longestMs * (1 + spread) ? 0 : Math.max(0, leftMs);
}
