// Formats times with the machine's offset from UTC, as Ollama's API does.

/** Formats a date by RFC 3339: `2026-01-02T03:04:05.678+01:00`. */
export function formatLocalTime(date: Date): string {
  const offsetMinutes = -date.getTimezoneOffset();
  const shifted = new Date(date.getTime() + offsetMinutes * 60_000).toISOString().slice(0, -1);
  if (offsetMinutes === 0) return `${shifted}Z`;
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, "0");
  const sign = offsetMinutes < 0 ? "-" : "+";
  return `${shifted}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
