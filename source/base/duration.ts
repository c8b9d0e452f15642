// Durations as people and Ollama's clients type them.

const dayMs = 86_400_000;
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
 * Reads a duration as Ollama does: `10m`, `1h30m`, `300ms`, `-1s`, or plain seconds (`300`, also as
 * text).
 *
 * @returns milliseconds; Infinity for anything negative; undefined for other texts
 */
export function parseDuration(value: string | number): number | undefined {
  if (typeof value === "number") {
    return Number.isFinite(value) ? limitless(value * 1000) : undefined;
  }
  const text = value.trim();
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) return limitless(Number(text) * 1000);
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
  return at === 0 ? undefined : limitless(sign * total);
}

/**
 * Reads a finite time span: `30d`, or any duration of `parseDuration`.
 *
 * @returns whole milliseconds; undefined for other texts, negative ones among them
 */
export function parseTimeSpan(text: string): number | undefined {
  const days = /^(\d+(?:\.\d+)?)d$/.exec(text.trim())?.[1];
  const milliseconds = days === undefined ? parseDuration(text) : Number(days) * dayMs;
  return milliseconds !== undefined && Number.isFinite(milliseconds)
    ? Math.round(milliseconds)
    : undefined;
}

function limitless(milliseconds: number): number {
  return milliseconds < 0 ? Number.POSITIVE_INFINITY : milliseconds;
}
