// A bar of one row: how much of a whole there is.

import type { Glyphs } from "../../theme.ts";

/** @param fraction 0 to 1 */
export function barText(fraction: number, width: number, { isAscii }: Glyphs): string {
  const [full, empty] = isAscii ? ["#", "."] : ["█", "░"];
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return full.repeat(filled) + empty.repeat(width - filled);
}
