// Latest values of a series as a line of block glyphs.

import { Text } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import type { Glyphs, Tone } from "../theme.ts";

export interface SparklineProps {
  /** Oldest first; the newest `width` of them are shown. */
  readonly values: readonly number[];
  readonly width: number;
  /** The least value of a full cell, so that noise around nothing stays flat. */
  readonly floor?: number;
  readonly tone?: Tone;
}

/** Hidden from screen readers, which get the figure next to it. */
export function Sparkline(props: SparklineProps): ReactElement {
  const { values, width, floor, tone = "dim" } = props;
  const { glyphs, theme } = useLook();
  return (
    <Text {...theme[tone]} aria-hidden>
      {sparkText(values, width, glyphs, floor)}
    </Text>
  );
}

/** Draws a cell for each value, scaled to the largest; blank if all are zero. */
export function sparkText(
  values: readonly number[],
  width: number,
  glyphs: Glyphs,
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
