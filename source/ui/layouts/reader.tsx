// The program for screen readers: finished content is printed once, and only changing content is
// below it.

import { Box, Static, Text } from "ink";
import { type ReactElement, useState } from "react";
import type { Frame } from "../frame/frame.ts";
import { useFrame } from "../hooks/use-frame.ts";
import { CurrentOverlay } from "./full-screen.tsx";
import { ReaderLog } from "./reader-log.ts";

/** Draws words in tree order, without borders or positions. */
export function Reader({ frame }: { readonly frame: Frame }): ReactElement {
  useFrame(frame, ({ version }) => version);
  const [log] = useState(() => new ReaderLog());
  const { current, overlay, notice } = frame;
  const size = frame.bodySize();
  const lines = current === undefined ? [] : log.take(current.title, current.readerLines?.() ?? []);
  return (
    <Box flexDirection="column">
      <Static items={[...lines]}>{(line) => <Text key={line.number}>{line.text}</Text>}</Static>
      {current !== undefined && overlay === undefined && <current.Body {...size} />}
      <CurrentOverlay frame={frame} size={size} />
      {notice !== undefined && <Text>{`Note: ${notice}`}</Text>}
    </Box>
  );
}
