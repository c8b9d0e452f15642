// Minimum window size, and the space it leaves for a screen.

import type { BodySize } from "./screen.ts";

/** A smaller window only shows the required size. */
export const columnsMinimum = 60;
export const rowsMinimum = 16;

export const tabRows = 1;
export const hintRows = 1;

export type WindowSize = BodySize;

export function isTooSmall({ columns, rows }: WindowSize): boolean {
  return columns < columnsMinimum || rows < rowsMinimum;
}

/** Returns the space left for the screen. */
export function bodySize({ columns, rows }: WindowSize): BodySize {
  return { columns, rows: Math.max(1, rows - tabRows - hintRows) };
}
