// The last row: keys with a word each, or a sentence in their place until the next key.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { fitHints, hintGap } from "../frame/command-lists.ts";
import type { Frame } from "../frame/frame.ts";
import { useFrame } from "../hooks/use-frame.ts";
import { useLook } from "../hooks/use-look.ts";
import { neutraliseLine } from "../text/neutralise.ts";
import { fitText } from "../text/text-run.ts";
import { wrapLine } from "../text/wrap-line.ts";

const margin = 1;
const noticeRowsMaximum = 3;

export interface HintBarProps {
  readonly frame: Frame;
  readonly columns: number;
}

export function HintBar({ frame, columns }: HintBarProps): ReactElement {
  const { glyphs, theme } = useLook();
  const notice = useFrame(frame, (one) => one.notice);
  const hints = useFrame(frame, (one) =>
    one.hints.map((hint) => hint.join(wordMark)).join(hintMark),
  );
  const room = columns - 2 * margin;
  if (notice !== undefined) {
    return (
      <Box flexDirection="column" flexShrink={0} paddingX={margin}>
        {noticeRows(notice, columns, glyphs.isAscii).map((row) => (
          <Text key={row} {...theme.mark} wrap="truncate">
            {fitText(row, room, glyphs.ellipsis)}
          </Text>
        ))}
      </Box>
    );
  }
  const pairs = hints.split(hintMark).map((hint) => {
    const [key = "", word = ""] = hint.split(wordMark);
    return [key, word] as const;
  });
  return (
    <Box height={1} flexShrink={0} paddingX={margin}>
      <Text wrap="truncate">
        {fitHints(pairs, room).map(([key, word], index) => (
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

const wordMark = "\u0000";
const hintMark = "\u0001";

/** The rows of a notice; a long one covers the last rows of the screen, since it must be read whole. */
export function noticeRows(notice: string, columns: number, isAscii: boolean): readonly string[] {
  const text = neutraliseLine(notice, isAscii).replaceAll("\n", " ");
  return wrapLine(text, columns - 2 * margin)
    .slice(0, noticeRowsMaximum)
    .map((row) => row.text);
}
