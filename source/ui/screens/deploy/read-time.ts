// Times as they are typed into fields: 90s, 15m, 1h30m, 2d, or a number of seconds.

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @returns milliseconds; undefined for what is no time */
export function readTime(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Math.round(Number(trimmed) * 1000);
  if (!/^(\d+(\.\d+)?(ms|[smhd]))+$/.test(trimmed)) return undefined;
  const parts = trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g);
  return [...parts].reduce(
    (sum, [, count, unit = ""]) => sum + Math.round(Number(count) * (unitsMs[unit] ?? 0)),
    0,
  );
}

/** As flags take it: `60s`, `250ms`. */
export function writeTime(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`;
}
