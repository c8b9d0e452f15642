// Last row: keys with a word each, or a notice until the next key.

import { Box } from "ink";
import type { ReactElement } from "react";
import { fitHints, hintGap } from "../frame/command-lists.ts";
import type { FrameView } from "../frame/frame.ts";
import { type TextRun, wrapText } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { Line, Lines } from "./line.tsx";

/** Blank cells on both sides. */
const margin = 1;
const noticeRowsMaximum = 3;

export interface NoticeProps {
  readonly text: string;
  readonly tone: Tone;
  readonly columns: number;
}

export function Notice({ text, tone, columns }: NoticeProps): ReactElement {
  return (
    <Box flexDirection="column" flexShrink={0} paddingX={margin}>
      <Lines rows={noticeRows(text, columns).map((row) => [{ text: row, tone }])} />
    </Box>
  );
}

/** Returns the rows of a notice; a long one covers the last rows of the screen. */
export function noticeRows(text: string, columns: number): readonly string[] {
  return wrapText(text, columns - 2 * margin)
    .slice(0, noticeRowsMaximum)
    .map((row) => row.text);
}

export interface HintBarProps extends Pick<FrameView, "notice" | "hints"> {
  readonly columns: number;
}

/** Draws the hints that fit, or the notice. */
export function HintBar({ notice, hints, columns }: HintBarProps): ReactElement {
  if (notice !== undefined) return <Notice text={notice} tone="mark" columns={columns} />;
  const runs = fitHints(hints, columns - 2 * margin).flatMap(([key, word], index): TextRun[] => [
    ...(index === 0 ? [] : [{ text: hintGap, tone: "plain" } as const]),
    { text: key, tone: "key" },
    { text: ` ${word}`, tone: "dim" },
  ]);
  return (
    <Box height={1} flexShrink={0} paddingX={margin}>
      <Line runs={runs} />
    </Box>
  );
}
