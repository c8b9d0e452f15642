// Notice in place of hints or figures, until the next key.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { neutraliseLine } from "../text/neutralise.ts";
import { wrapLine } from "../text/wrap-line.ts";
import type { Tone } from "../theme.ts";

const margin = 1;
const rowsMaximum = 3;

export interface NoticeProps {
  readonly text: string;
  readonly tone: Tone;
  readonly columns: number;
}

export function Notice({ text, tone, columns }: NoticeProps): ReactElement {
  const { glyphs, theme } = useLook();
  return (
    <Box flexDirection="column" flexShrink={0} paddingX={margin}>
      {noticeRows(text, columns, glyphs.isAscii).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <Text key={index} {...theme[tone]} wrap="truncate">
          {row}
        </Text>
      ))}
    </Box>
  );
}

/** The rows of a notice; a long one covers the last rows of the screen, since it must be read whole. */
export function noticeRows(text: string, columns: number, isAscii: boolean): readonly string[] {
  const line = neutraliseLine(text.replaceAll("\n", " "), isAscii);
  return wrapLine(line, columns - 2 * margin)
    .slice(0, rowsMaximum)
    .map((row) => row.text);
}
