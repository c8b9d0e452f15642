// A line of block glyphs for the last values of a series; the scale is the largest of them.

import type { Glyphs } from "../theme.ts";

/**
 * The newest values, one cell each, oldest first; cells without a value are blank.
 * @param floor the scale ends at least there, so that noise around nothing is flat
 */
export function sparkline(
  values: readonly number[],
  width: number,
  glyphs: Glyphs,
  floor: number = Number.MIN_VALUE,
): string {
  const shown = values.slice(-Math.max(0, width));
  const largest = Math.max(floor, ...shown);
  const cells = shown.map((value) => {
    const height = Math.round((Math.max(0, value) / largest) * (glyphs.spark.length - 1));
    return glyphs.spark[Math.min(height, glyphs.spark.length - 1)] ?? " ";
  });
  return " ".repeat(Math.max(0, width - cells.length)) + cells.join("");
}
