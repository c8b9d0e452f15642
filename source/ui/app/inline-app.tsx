// The root component for a part of the terminal's usual buffer: Ink paints below what is there.

import { Box, Transform, useCursor, useWindowSize } from "ink";
import { memo, type ReactElement, useMemo, useSyncExternalStore } from "react";
import { framePicture } from "../frame/frame-rows.ts";
import { paintableRow, RowPainter } from "../frame/row-painter.ts";
import { themes } from "../frame/themes.ts";
import type { WindowSize } from "../frame/window-size.ts";
import { type FrameProps, useFrameInput } from "./frame-input.ts";

export interface InlineAppProps extends FrameProps {
  readonly size: () => WindowSize;
}

export function InlineApp({ frame, trigger, terminal, size }: InlineAppProps): ReactElement {
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
        <PaintedRow key={index} painted={painter.paint(paintableRow(row, columns))} />
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
