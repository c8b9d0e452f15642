// Figures of models for narrow columns.

/** A window in tokens: `40k`, `128k`, `1M`, `512`. */
export function formatWindow(tokens: number): string {
  if (tokens >= 1024 ** 2) return `${trim(tokens / 1024 ** 2)}M`;
  if (tokens >= 1024) return `${Math.round(tokens / 1024)}k`;
  return String(tokens);
}

/** A count in three digits: `950`, `12k`, `3.4M`. */
export function formatTally(count: number): string {
  if (count >= 999_500) return `${trim(count / 1e6)}M`;
  if (count >= 10_000) return `${Math.round(count / 1000)}k`;
  if (count >= 1000) return `${trim(count / 1000)}k`;
  return String(count);
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** A stretch of time in one unit: `12 s`, `5 min`, `3 h`, `9 d`, `2 y`. */
export function formatSpan(milliseconds: number): string {
  const distance = Math.abs(milliseconds);
  if (distance < minuteMs) return `${Math.floor(distance / 1000)} s`;
  if (distance < hourMs) return `${Math.floor(distance / minuteMs)} min`;
  if (distance < 2 * dayMs) return `${Math.floor(distance / hourMs)} h`;
  if (distance < 730 * dayMs) return `${Math.floor(distance / dayMs)} d`;
  return `${Math.floor(distance / (365 * dayMs))} y`;
}

function trim(value: number): string {
  return value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value));
}
