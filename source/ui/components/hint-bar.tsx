// Last row: keys with a word each, or a notice until the next key.

import { Box } from "ink";
import type { ReactElement } from "react";
import { fitHints, hintGap } from "../frame/command-lists.ts";
import type { FrameView } from "../frame/frame.ts";
import { useLook } from "../hooks/use-look.ts";
import { wrapText } from "../text/text-run.ts";
import type { Tone } from "../theme.ts";
import { Text } from "./text.tsx";

/** Blank cells on both sides. */
const margin = 1;
const noticeRowsMaximum = 3;

export interface NoticeProps {
  readonly text: string;
  readonly tone: Tone;
  readonly columns: number;
}

export function Notice({ text, tone, columns }: NoticeProps): ReactElement {
  const { theme } = useLook();
  return (
    <Box flexDirection="column" flexShrink={0} paddingX={margin}>
      {noticeRows(text, columns).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <Text key={index} {...theme[tone]} wrap="truncate">
          {row}
        </Text>
      ))}
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
  const { theme } = useLook();
  if (notice !== undefined) return <Notice text={notice} tone="mark" columns={columns} />;
  return (
    <Box height={1} flexShrink={0} paddingX={margin}>
      <Text wrap="truncate">
        {fitHints(hints, columns - 2 * margin).map(([key, word], index) => (
          <Text key={`${key} ${word}`}>
            {index === 0 ? "" : hintGap}
            <Text {...theme.key}>{key}</Text>
            <Text {...theme.dim}> {word}</Text>
          </Text>
        ))}
      </Text>
    </Box>
  );
}
