// Formats sizes, counts, durations and times for people.

const fileUnits = ["B", "kB", "MB", "GB", "TB"];
const memoryUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

const hoursPerDay = 24;
const hoursPerWeek = 7 * hoursPerDay;
const hoursPerMonth = 30 * hoursPerDay;
const hoursPerYear = 365 * hoursPerDay;
const msPerHour = 3_600_000;

/** Formats the size of a file, with one decimal below 10: `4.7 GB`, `13 GB`, `986 MB`, `512 B`. */
export function formatBytes(bytes: number): string {
  return formatIn(bytes, 1000, fileUnits);
}

/** Formats an amount of memory in binary units: `4.7 GiB`, `16 GiB`, `986 MiB`, `512 B`. */
export function formatMemory(bytes: number): string {
  return formatIn(bytes, 1024, memoryUnits);
}

function formatIn(bytes: number, factor: number, units: readonly string[]): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= factor;
    unit += 1;
  }
  const text =
    unit > 0 && value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value));
  return `${text} ${units[unit]}`;
}

/** Formats a count as Ollama does: `954K`, `361.82M`, `8.0B`, `70B`. */
export function formatCount(count: number): string {
  const scaled = (unit: number, decimals: number, letter: string) => {
    const value = count / unit;
    return `${Number.isInteger(value) ? value : value.toFixed(decimals)}${letter}`;
  };
  if (count >= 1e9) return scaled(1e9, 1, "B");
  if (count >= 1e6) return scaled(1e6, 2, "M");
  if (count >= 1e3) return `${Math.round(count / 1e3)}K`;
  return String(count);
}

/** Formats a duration as Go does: `1.234s`, `56.7ms`. */
export function formatGoDuration(milliseconds: number): string {
  if (milliseconds >= 60_000) {
    const minutes = Math.floor(milliseconds / 60_000);
    return `${minutes}m${trim((milliseconds - minutes * 60_000) / 1000)}s`;
  }
  if (milliseconds >= 1000) return `${trim(milliseconds / 1000)}s`;
  if (milliseconds >= 1) return `${trim(milliseconds)}ms`;
  return `${trim(milliseconds * 1000)}µs`;
}

function trim(value: number): string {
  return String(Number(value.toFixed(3)));
}

/** Formats a duration: `182 ms`, `1.84 s`, from a minute on `2 m 05 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_995) return `${(milliseconds / 1000).toFixed(2)} s`;
  const all = Math.round(milliseconds / 1000);
  const minutes = Math.floor(all / 60);
  const seconds = all - minutes * 60;
  return `${minutes} m ${String(seconds).padStart(2, "0")} s`;
}

/** Formats a duration in words, without its sign: `Less than a second`, `4 minutes`, `3 weeks`. */
export function formatRoughDuration(milliseconds: number): string {
  const distance = Math.abs(milliseconds);
  const seconds = Math.floor(distance / 1000);
  if (seconds < 1) return "Less than a second";
  if (seconds === 1) return "1 second";
  if (seconds < 60) return `${seconds} seconds`;
  const minutes = Math.floor(seconds / 60);
  if (minutes === 1) return "About a minute";
  if (minutes < 60) return `${minutes} minutes`;
  const hours = Math.round(distance / msPerHour);
  if (hours === 1) return "About an hour";
  if (hours < 2 * hoursPerDay) return `${hours} hours`;
  if (hours < 2 * hoursPerWeek) return `${Math.floor(hours / hoursPerDay)} days`;
  if (hours < 2 * hoursPerMonth) return `${Math.floor(hours / hoursPerWeek)} weeks`;
  if (hours < 2 * hoursPerYear) return `${Math.floor(hours / hoursPerMonth)} months`;
  return `${Math.floor(hours / hoursPerYear)} years`;
}

/**
 * Formats a time relative to now, as in Ollama's tables: `3 weeks ago`, `4 minutes from now`; `Forever`
 * from 20 years ahead.
 *
 * @param timeMs since 1970, as `nowMs`
 */
export function formatRelativeTime(timeMs: number, nowMs: number = Date.now()): string {
  const aheadMs = timeMs - nowMs;
  if (aheadMs > 20 * hoursPerYear * msPerHour) return "Forever";
  return `${formatRoughDuration(aheadMs)} ${aheadMs > 0 ? "from now" : "ago"}`;
}

/** Formats a date by RFC 3339, with the machine's offset: `2026-01-02T03:04:05.678+01:00`. */
export function formatLocalTime(date: Date): string {
  const offsetMinutes = -date.getTimezoneOffset();
  const shifted = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
  if (offsetMinutes === 0) return `${shifted}Z`;
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, "0");
  const sign = offsetMinutes < 0 ? "-" : "+";
  return `${shifted}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
