// Progress bar. Unlike a gauge, a full one is not a warning.

import { Text } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { percentage } from "../text/quantities.ts";
import type { Glyphs, Tone } from "../theme.ts";

export interface ProgressBarProps {
  /** 0 to 1. */
  readonly fraction: number;
  readonly width: number;
  readonly tone?: Tone;
}

/** Draws a bar in a `Text` or a `Box`. Read out as a percentage. */
export function ProgressBar({ fraction, width, tone = "plain" }: ProgressBarProps): ReactElement {
  const { glyphs, theme } = useLook();
  return (
    <Text {...theme[tone]} aria-label={percentage(fraction)}>
      {progressText(fraction, width, glyphs)}
    </Text>
  );
}

/** @param fraction 0 to 1 */
export function progressText(fraction: number, width: number, { bar }: Glyphs): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * width);
  return bar.filled.repeat(filled) + bar.empty.repeat(width - filled);
}
