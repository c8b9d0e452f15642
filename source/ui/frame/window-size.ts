// Smallest windows, and the space that a window leaves for a screen.

import type { BodySize } from "./screen.ts";

export type WindowSize = BodySize;

/** A smaller window has no tabs, and only draws screens that allow it with `smallestWindow`. */
export const usualMinimum: WindowSize = { columns: 60, rows: 16 };

const tabBarRows = 1;
export const hintRows = 1;

/** @param minimum smallest window that a screen allows */
export function isTooSmall({ columns, rows }: WindowSize, minimum = usualMinimum): boolean {
  return columns < minimum.columns || rows < minimum.rows;
}

/** Returns the rows of the tab bar, which a small window leaves out. */
export function tabRows(size: WindowSize): number {
  return isTooSmall(size) ? 0 : tabBarRows;
}

/** Returns the space left for the screen. */
export function bodySize(size: WindowSize): BodySize {
  const { columns, rows } = size;
  return { columns, rows: Math.max(1, rows - tabRows(size) - hintRows) };
}
