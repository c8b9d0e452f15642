// Bars in a row of text: gauges, progress bars, sparklines, and squares for slots.

import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { glyphs, type Tone } from "../theme.ts";
import { Text } from "./text.tsx";

const highShare = 0.8;
const criticalShare = 0.95;

export interface GaugeProps {
  /** 0 to 1; values outside count as the nearer end. */
  readonly share: number;
  readonly width: number;
  /** Replaces the tone of the filled cells, such as for an outdated figure. */
  readonly tone?: Tone;
}

/** Draws a bar, blank for an invalid share, in a `Text` or a `Box`. */
export function Gauge({ share, width, tone }: GaugeProps): ReactElement {
  const { theme } = useLook();
  const bounded = Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
  const filled = Math.round(bounded * width);
  const [glyph, usualTone] = signOf(bounded);
  const empty = bounded === 0 ? " " : glyphs.bar.empty;
  return (
    <Text>
      <Text {...theme[tone ?? usualTone]}>{glyph.repeat(filled)}</Text>
      <Text {...theme.dim}>{empty.repeat(Math.max(0, width - filled))}</Text>
    </Text>
  );
}

function signOf(share: number): readonly [glyph: string, tone: Tone] {
  if (share >= criticalShare) return [glyphs.bar.critical, "error"];
  if (share >= highShare) return [glyphs.bar.high, "warning"];
  return [glyphs.bar.filled, "dim"];
}

/** Returns squares for slots, busy ones first; empty if they exceed `width`. */
export function slotSquares(busy: number, total: number, width: number): string {
  if (total > width) return "";
  const filled = Math.min(busy, total);
  return glyphs.slotBusy.repeat(filled) + glyphs.slotFree.repeat(Math.max(0, total - filled));
}

export interface ProgressBarProps {
  /** 0 to 1. */
  readonly fraction: number;
  readonly width: number;
  readonly tone?: Tone;
}

/** Draws a bar in a `Text` or a `Box`. */
export function ProgressBar({ fraction, width, tone = "plain" }: ProgressBarProps): ReactElement {
  const { theme } = useLook();
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return (
    <Text {...theme[tone]}>
      {glyphs.bar.filled.repeat(filled) + glyphs.bar.empty.repeat(width - filled)}
    </Text>
  );
}

export interface SparklineProps {
  /** Oldest first; the newest `width` of them are shown. */
  readonly values: readonly number[];
  readonly width: number;
  /** Minimum value of a full cell, so that noise near zero stays flat. */
  readonly floor?: number;
  readonly tone?: Tone;
}

export function Sparkline(props: SparklineProps): ReactElement {
  const { values, width, floor, tone = "dim" } = props;
  const { theme } = useLook();
  return <Text {...theme[tone]}>{sparkText(values, width, floor)}</Text>;
}

/** Draws a cell for each value, scaled to the largest; blank if all are zero. */
function sparkText(
  values: readonly number[],
  width: number,
  floor: number = Number.MIN_VALUE,
): string {
  const shown = values.slice(-Math.max(0, width));
  if (!shown.some((value) => value > 0)) return " ".repeat(Math.max(0, width));
  const largest = Math.max(floor, ...shown);
  const cells = shown.map((value) => {
    const height = Math.round((Math.max(0, value) / largest) * (glyphs.spark.length - 1));
    return glyphs.spark[Math.min(height, glyphs.spark.length - 1)] ?? " ";
  });
  return " ".repeat(Math.max(0, width - cells.length)) + cells.join("");
}
