// Formats values of settings for people, in a form that can be typed back.
import { type Settings, settingDefinitions } from "./settings.ts";

/** `automatic` for an unset value, `none` for an empty list. */
export function settingText(name: keyof Settings, value: unknown): string {
  if (value === undefined) return "automatic";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  const { unit } = settingDefinitions[name];
  if (typeof value !== "number" || unit === undefined) return String(value);
  return unit === "milliseconds" ? durationText(value) : sizeText(value);
}

const durationUnits = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
  ["ms", 1],
] as const;

/** Formats without rounding: `10m`, `1h30m`, `300ms`. */
function durationText(milliseconds: number): string {
  if (milliseconds === Number.POSITIVE_INFINITY) return "-1 (no limit)";
  let left = milliseconds;
  let text = "";
  for (const [unit, unitMs] of durationUnits) {
    const count = unit === "ms" ? left : Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === "" ? "0s" : text;
}

const sizeUnits = [
  ["GiB", 2 ** 30],
  ["GB", 1e9],
  ["MiB", 2 ** 20],
  ["MB", 1e6],
  ["KiB", 2 ** 10],
  ["KB", 1e3],
] as const;

/** Formats in the largest unit with a whole number: `256 MiB`, `100 MB`. */
function sizeText(bytes: number): string {
  const fitting = sizeUnits.find(([, size]) => bytes >= size && bytes % size === 0);
  return fitting === undefined ? `${bytes} B` : `${bytes / fitting[1]} ${fitting[0]}`;
}
