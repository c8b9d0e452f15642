// The root component: connects the frame with the keyboard and the window.

import { Box, Transform, useApp, useCursor, useInput, usePaste, useWindowSize } from "ink";
import { memo, type ReactElement, useMemo, useSyncExternalStore } from "react";
import type { Frame } from "../frame/frame.ts";
import { framePicture, type WindowSize } from "../frame/frame-rows.ts";
import { RowPainter } from "../frame/row-painter.ts";
import { themes } from "../frame/themes.ts";
import { interpretInput } from "../keys/key-name.ts";
import type { PaintTrigger } from "./paint-trigger.ts";
import type { TerminalHandle } from "./terminal-handle.ts";

export interface AppProps {
  readonly frame: Frame;
  readonly trigger: PaintTrigger;
  readonly terminal: TerminalHandle;
  readonly size: () => WindowSize;
}

export function App({ frame, trigger, terminal, size }: AppProps): ReactElement {
  useSyncExternalStore(trigger.subscribe, trigger.count);
  useFrameInput({ frame, trigger, terminal });
  // Its value may be more than the frame takes; it says when the window changes.
  useWindowSize();
  const painter = useMemo(() => new RowPainter(themes[frame.theme]), [frame.theme]);
  const { columns, rows: height } = size();
  const { rows, cursor } = framePicture(frame, { columns, rows: height });
  const { setCursorPosition } = useCursor();
  setCursorPosition(cursor);
  return (
    <Box flexDirection="column" width={columns} height={height}>
      {rows.slice(0, height).map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place on the screen
        <PaintedRow key={index} painted={painter.paint(row, columns)} />
      ))}
    </Box>
  );
}

/**
 * One row of the window. Ink measures and reads a text several times before it paints it, and for every
 * picture anew; what a transformation makes of a single dot it reads once.
 */
const PaintedRow = memo(function PaintedRow({ painted }: { painted: string }): ReactElement {
  return <Transform transform={() => painted}>.</Transform>;
});

/** Keys and pastes go to the frame; the frame may lend the terminal to other programs. */
export function useFrameInput({ frame, trigger, terminal }: Omit<AppProps, "size">): void {
  terminal.suspend = useApp().suspendTerminal;
  useInput((input, key) => {
    trigger.hurry();
    for (const press of interpretInput(input, key)) frame.press(press);
  });
  usePaste((text) => {
    trigger.hurry();
    frame.paste(text);
  });
}
