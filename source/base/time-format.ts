// Formats durations for people, and as Go and Ollama's CLI print them.

/** `1.234s`, `56.7ms`: Go's duration text for a number of milliseconds. */
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

/** `182 ms` below a second, `1.84 s` below a minute, `2 m 05 s` above. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59_995) return `${(milliseconds / 1000).toFixed(2)} s`;
  const all = Math.round(milliseconds / 1000);
  const minutes = Math.floor(all / 60);
  const seconds = all - minutes * 60;
  return `${minutes} m ${String(seconds).padStart(2, "0")} s`;
}
