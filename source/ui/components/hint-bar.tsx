// Last row: keys with a word each, or a notice instead until the next key.

import { Box, Text } from "ink";
import type { ReactElement } from "react";
import { fitHints, hintGap } from "../frame/command-lists.ts";
import type { Frame } from "../frame/frame.ts";
import { useFrame } from "../hooks/use-frame.ts";
import { useLook } from "../hooks/use-look.ts";
import { Notice } from "./notice.tsx";

const margin = 1;

export interface HintBarProps {
  readonly frame: Frame;
  readonly columns: number;
}

export function HintBar({ frame, columns }: HintBarProps): ReactElement {
  const { theme } = useLook();
  const notice = useFrame(frame, (one) => one.notice);
  const hints = useFrame(frame, (one) =>
    one.hints.map((hint) => hint.join(wordMark)).join(hintMark),
  );
  const room = columns - 2 * margin;
  if (notice !== undefined) return <Notice text={notice} tone="mark" columns={columns} />;
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
