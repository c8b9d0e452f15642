// Hosts a screen that still makes rows of spans, as a screen of components.

import { Box } from "ink";
import { memo, type ReactElement, useSyncExternalStore } from "react";
import { Line } from "../components/line.tsx";
import { TextCursor } from "../components/text-cursor.tsx";
import type { BodySize, PaintedScreen, Screen } from "../frame/screen.ts";
import { usePaced } from "../hooks/use-store.ts";

export function paintedScreen(screen: PaintedScreen): Screen {
  let version = 0;
  screen.subscribe(() => {
    version += 1;
  });
  const Body = memo(function PaintedBody(size: BodySize): ReactElement {
    const subscribe = usePaced(screen);
    useSyncExternalStore(subscribe, () => version);
    const { rows, cursor } = screen.picture(size);
    return (
      <Box flexDirection="column" width={size.columns}>
        {rows.slice(0, size.rows).map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
          <Line key={index} runs={row} />
        ))}
        {cursor !== undefined && <TextCursor {...cursor} />}
      </Box>
    );
  });
  return {
    id: screen.id,
    title: screen.title,
    ...(screen.tabNumber !== undefined && { tabNumber: screen.tabNumber }),
    Body,
    commands: () => screen.commands(),
    status: () => screen.status(),
    isTyping: () => screen.isTyping(),
    type: (text) => screen.type(text),
    paste: (text) => screen.paste(text),
    accept: (argument) => screen.accept?.(argument),
    readerLines: () => screen.readerLines(),
    readerFooter: () => screen.readerFooter?.() ?? [],
    subscribe: (listener) => screen.subscribe(listener),
    activate: () => screen.activate(),
    deactivate: () => screen.deactivate(),
    close: () => screen.close(),
  };
}
