// Formats durations and times relative to now, in the words of Ollama's tables.

const hoursPerDay = 24;
const hoursPerWeek = 7 * hoursPerDay;
const hoursPerMonth = 30 * hoursPerDay;
const hoursPerYear = 365 * hoursPerDay;
const msPerHour = 3_600_000;

/** `Less than a second`, `4 minutes`, `About an hour`, `3 weeks`; the sign is left out. */
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
 * `3 weeks ago`, `4 minutes from now`; `Forever` for more than 20 years ahead.
 *
 * @param timeMs since 1970, as `nowMs`
 */
export function formatRelativeTime(timeMs: number, nowMs: number): string {
  const aheadMs = timeMs - nowMs;
  if (aheadMs > 20 * hoursPerYear * msPerHour) return "Forever";
  return `${formatRoughDuration(aheadMs)} ${aheadMs > 0 ? "from now" : "ago"}`;
}
