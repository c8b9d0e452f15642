// How large the window must be, and what the frame leaves of it for a screen.

import type { BodySize } from "./screen.ts";

/** Below this size only a card is shown. */
export const columnsMinimum = 60;
export const rowsMinimum = 16;

export const tabRows = 1;
export const hintRows = 1;

export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

export function isTooSmall({ columns, rows }: WindowSize): boolean {
  return columns < columnsMinimum || rows < rowsMinimum;
}

/** What is left for the screen. */
export function bodySize({ columns, rows }: WindowSize): BodySize {
  return { columns, rows: Math.max(1, rows - tabRows - hintRows) };
}
