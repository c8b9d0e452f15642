// Durations as Ollama takes them: a number of seconds, or Go's text form.

const unitMs: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Milliseconds of `10m`, `1h30m`, `300ms`, `-1s`, or of plain seconds (`300`, also as text).
 *
 * @returns Infinity for anything negative; undefined when the text is no duration
 */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? forGood(value * 1000) : undefined;
  const text = value.trim();
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return forGood(Number(text) * 1000);
  const sign = text.startsWith("-") ? -1 : 1;
  const body = text.replace(/^[+-]/, "");
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  let total = 0;
  let at = 0;
  while (at < body.length) {
    part.lastIndex = at;
    const match = part.exec(body);
    const unit = unitMs[match?.[2] ?? ""];
    if (match === null || unit === undefined) return undefined;
    total += Number(match[1]) * unit;
    at = part.lastIndex;
  }
  return at === 0 ? undefined : forGood(sign * total);
}

function forGood(milliseconds: number): number {
  return milliseconds < 0 ? Number.POSITIVE_INFINITY : milliseconds;
}
