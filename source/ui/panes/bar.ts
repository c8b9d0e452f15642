// A bar that fills up; from 80 % and from 95 % on its glyph changes, not its colour alone.

import type { Span } from "../frame/screen.ts";
import type { Glyphs } from "../theme.ts";

const highShare = 0.8;
const criticalShare = 0.95;

/** @param share 0 to 1; what is outside counts as the end that is nearer */
export function bar(share: number, width: number, glyphs: Glyphs): Span[] {
  const bounded = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const filled = Math.round(bounded * width);
  const [glyph, tone] =
    bounded >= criticalShare
      ? ([glyphs.bar.critical, "error"] as const)
      : bounded >= highShare
        ? ([glyphs.bar.high, "warning"] as const)
        : ([glyphs.bar.filled, "good"] as const);
  return [
    { text: glyph.repeat(filled), tone },
    { text: glyphs.bar.empty.repeat(Math.max(0, width - filled)), tone: "dim" },
  ];
}

/** Squares for sequences: busy ones first. Above `width` numbers alone must do. */
export function slotSquares(busy: number, total: number, width: number, glyphs: Glyphs): string {
  if (total > width) return "";
  const filled = Math.min(busy, total);
  return glyphs.slotBusy.repeat(filled) + glyphs.slotFree.repeat(Math.max(0, total - filled));
}
