// Formats sizes: decimal units for files and transfers, binary ones for memory.

const fileUnits = ["B", "kB", "MB", "GB", "TB"];
const memoryUnits = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Formats the size of a file, with one decimal below 10: `4.7 GB`, `13 GB`, `986 MB`, `512 B`. */
export function formatBytes(bytes: number): string {
  return format(bytes, 1000, fileUnits);
}

/** Formats an amount of memory in binary units: `4.7 GiB`, `16 GiB`, `986 MiB`, `512 B`. */
export function formatMemory(bytes: number): string {
  return format(bytes, 1024, memoryUnits);
}

function format(bytes: number, factor: number, units: readonly string[]): string {
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
