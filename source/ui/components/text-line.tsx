// A row of text in one tone, cut to its width.

import { Text } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { truncateText } from "../text/graphemes.ts";
import { foreignText } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";

export interface TextLineProps {
  /** May come from elsewhere: control characters are made harmless. */
  readonly text: string;
  readonly tone: Tone;
  readonly width: number;
}

export function TextLine({ text, tone, width }: TextLineProps): ReactElement {
  const { glyphs, theme } = useLook();
  return (
    <Text {...theme[tone]} wrap="truncate">
      {truncateText(foreignText(text, glyphs.isAscii), width, glyphs.ellipsis)}
    </Text>
  );
}
