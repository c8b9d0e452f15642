// Numbers with their units, short enough for a pane.

const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** `6.9/12.0 GiB`: both in the unit of the larger one. */
export function usedOfTotal(usedBytes: number, totalBytes: number): string {
  const unit = unitOf(Math.max(usedBytes, totalBytes));
  const scaled = (bytes: number) => (bytes / 1024 ** unit).toFixed(unit === 0 ? 0 : 1);
  return `${scaled(usedBytes)}/${scaled(totalBytes)} ${binaryUnits[unit]}`;
}

/** `950`, `4.8k`, `32k`: tokens of windows. */
export function tokenCount(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  const thousands = tokens / 1000;
  return thousands < 10 ? `${thousands.toFixed(1)}k` : `${Math.round(thousands)}k`;
}

/** `0.4`, `61.2`, `1204`: three or more digits that say something. */
export function rate(perSecond: number): string {
  return perSecond >= 1000 ? String(Math.round(perSecond)) : perSecond.toFixed(1);
}

export function percentage(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** `45 s`, `4 m 12 s`, `2 h 14 m`. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

function unitOf(bytes: number): 0 | 1 | 2 | 3 | 4 {
  if (bytes >= 1024 ** 4) return 4;
  if (bytes >= 1024 ** 3) return 3;
  if (bytes >= 1024 ** 2) return 2;
  return bytes >= 1024 ? 1 : 0;
}
