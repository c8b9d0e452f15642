// Wrapped foreign text, one `Text` for each row, so that a screen can count the rows.

import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { foreignText } from "../text/text-run.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Tone } from "../theme.ts";
import { Line } from "./line.tsx";

/** Makes the rows of a text; the tone defaults to plain. */
export type Paragraph = (text: string, tone?: Tone) => readonly ReactElement[];

/** @param width cells of the longest row */
export function useParagraph(width: number): Paragraph {
  const { isAscii } = useLook().glyphs;
  return (text, tone = "plain") =>
    wrapLine(foreignText(text, isAscii).replaceAll("\n", " "), Math.max(1, width)).map((row) => (
      <Line key={row.start} runs={[{ text: row.text, tone }]} />
    ));
}
