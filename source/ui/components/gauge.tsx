// Gauge of a share: its glyph, not only its colour, warns from 80 % and 95 % on.

import { Text } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { percentage } from "../text/quantities.ts";
import type { Glyphs, Tone } from "../theme.ts";

const highShare = 0.8;
const criticalShare = 0.95;

export interface GaugeProps {
  /** 0 to 1; values outside count as the nearer end. */
  readonly share: number;
  readonly width: number;
  /** Replaces the tone of the filled cells, such as for an old figure. */
  readonly tone?: Tone;
}

/** Draws a bar, blank for an invalid share, in a `Text` or a `Box`. Read out as a percentage. */
export function Gauge({ share, width, tone }: GaugeProps): ReactElement {
  const { glyphs, theme } = useLook();
  const bounded = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const filled = Math.round(bounded * width);
  const [glyph, usualTone] = signOf(bounded, glyphs);
  const empty = bounded === 0 ? " " : glyphs.bar.empty;
  return (
    <Text aria-label={percentage(bounded)}>
      <Text {...theme[tone ?? usualTone]}>{glyph.repeat(filled)}</Text>
      <Text {...theme.dim}>{empty.repeat(Math.max(0, width - filled))}</Text>
    </Text>
  );
}

function signOf(share: number, { bar }: Glyphs): readonly [glyph: string, tone: Tone] {
  if (share >= criticalShare) return [bar.critical, "error"];
  if (share >= highShare) return [bar.high, "warning"];
  return [bar.filled, "dim"];
}

/** Returns squares for slots, busy ones first; empty if they exceed `width`. */
export function slotSquares(busy: number, total: number, width: number, glyphs: Glyphs): string {
  if (total > width) return "";
  const filled = Math.min(busy, total);
  return glyphs.slotBusy.repeat(filled) + glyphs.slotFree.repeat(Math.max(0, total - filled));
}
