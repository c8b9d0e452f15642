// Sizes as a person reads them.

const units = ["B", "KB", "MB", "GB", "TB"];

/** Decimal units, one decimal below 10: `4.7 GB`, `13 GB`, `986 MB`, `512 B`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text =
    unit > 0 && value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value));
  return `${text} ${units[unit]}`;
}
