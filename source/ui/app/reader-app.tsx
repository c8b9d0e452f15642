// The root component for screen readers: lines that are printed once, and a few that change.

import { Box, Static, Text } from "ink";
import { type ReactElement, useState, useSyncExternalStore } from "react";
import { type FrameProps, useFrameInput } from "./frame-input.ts";
import { ReaderLog } from "./reader-log.ts";

/** No borders, no painted places: labels in words, changes appended. */
export function ReaderApp({ frame, trigger, terminal }: FrameProps): ReactElement {
  useSyncExternalStore(trigger.subscribe, trigger.count);
  useFrameInput({ frame, trigger, terminal });
  const [log] = useState(() => new ReaderLog());
  const { current, overlay, notice } = frame;
  const lines = current === undefined ? [] : log.take(current.title, current.readerLines());
  const footer = [
    ...(overlay?.readerLines() ?? current?.readerFooter?.() ?? []),
    ...(notice === undefined ? [] : [`Note: ${notice}`]),
  ];
  return (
    <Box flexDirection="column">
      <Static items={[...lines]}>{(line) => <Text key={line.number}>{line.text}</Text>}</Static>
      {footer.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        <Text key={index}>{line}</Text>
      ))}
    </Box>
  );
}
