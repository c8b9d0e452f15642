// Numbers with their units, times and ages, short enough for a pane.

const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

/** `6.9/12.0 GiB`: both in the unit of the larger one. */
export function usedOfTotal(usedBytes: number, totalBytes: number): string {
  const largest = Math.max(1, usedBytes, totalBytes);
  const unit = Math.min(binaryUnits.length - 1, Math.floor(Math.log2(largest) / 10));
  const scaled = (bytes: number) => (bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1);
  return `${scaled(usedBytes)}/${scaled(totalBytes)} ${binaryUnits[unit]}`;
}

/** `0.4`, `61.2`, `1204`. */
export function rate(perSecond: number): string {
  return perSecond >= 1000 ? String(Math.round(perSecond)) : perSecond.toFixed(1);
}

/** A speed that was measured, or is expected; per second. */
export interface KnownRate {
  readonly measured?: number;
  readonly expected?: { readonly low: number; readonly high: number };
}

/** `21` as measured, or `12-18` as expected; undefined if nothing is known. */
export function knownRate({ measured, expected }: KnownRate): string | undefined {
  if (measured !== undefined) return shortRate(measured);
  return expected && `${shortRate(expected.low)}-${shortRate(expected.high)}`;
}

/** `0.6`, `9.4`, `21`, `1.2k`. */
function shortRate(perSecond: number): string {
  if (perSecond >= 1000) return formatTally(Math.round(perSecond));
  return perSecond < 9.95 ? String(Number(perSecond.toFixed(1))) : String(Math.round(perSecond));
}

/** `62%` of 0.618. */
export function percentage(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `512`, `4096`, `40k`, `1M`: tokens, rounded to units of 1024 from ten thousand on. */
export function tokenCount(tokens: number): string {
  if (tokens >= 1024 ** 2) return `${trim(tokens / 1024 ** 2)}M`;
  if (tokens >= 10_000) return `${Math.round(tokens / 1024)}k`;
  return String(Math.round(tokens));
}

/** `950`, `12k`, `3.4M`: a count in at most three digits. */
export function formatTally(count: number): string {
  if (count >= 999_500) return `${trim(count / 1e6)}M`;
  if (count >= 10_000) return `${Math.round(count / 1000)}k`;
  if (count >= 1000) return `${trim(count / 1000)}k`;
  return String(count);
}

/** `45 s`, `4 m 12 s`, `2 h 14 m`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `12 s`, `5 min`, `3 h`, `9 d`, `2 y`: a duration in its largest unit. */
export function roughSpan(milliseconds: number): string {
  const distance = Math.abs(milliseconds);
  if (distance < minuteMs) return `${Math.floor(distance / 1000)} s`;
  if (distance < hourMs) return `${Math.floor(distance / minuteMs)} min`;
  if (distance < 2 * dayMs) return `${Math.floor(distance / hourMs)} h`;
  if (distance < 730 * dayMs) return `${Math.floor(distance / dayMs)} d`;
  return `${Math.floor(distance / (365 * dayMs))} y`;
}

/** `1 request`, `3 requests`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** `14:03:59`, local time. @param atMs since 1970 */
export function timeOfDay(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}

function trim(value: number): string {
  return value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}
