// A bar of one row: which part of a whole something is. Unlike a gauge, a full one is no warning.

import type { Glyphs } from "../../theme.ts";

/** @param fraction 0 to 1 */
export function barText(fraction: number, width: number, { bar }: Glyphs): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return bar.filled.repeat(filled) + bar.empty.repeat(width - filled);
}
