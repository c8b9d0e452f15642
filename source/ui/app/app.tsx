// The root component for the whole window: Ink has the keyboard and the modes of the terminal, the rows are
// painted past it, since it would read each of their cells anew for every picture.

import { useWindowSize } from "ink";
import { useLayoutEffect, useMemo, useSyncExternalStore } from "react";
import { framePicture } from "../frame/frame-rows.ts";
import { RowPainter } from "../frame/row-painter.ts";
import { themes } from "../frame/themes.ts";
import type { WindowPainter } from "../frame/window-painter.ts";
import type { WindowSize } from "../frame/window-size.ts";
import { type FrameProps, useFrameInput } from "./frame-input.ts";

export interface AppProps extends FrameProps {
  readonly size: () => WindowSize;
  readonly window: WindowPainter;
  readonly onPainted: () => void;
}

export function App({ frame, trigger, terminal, size, window, onPainted }: AppProps): null {
  useSyncExternalStore(trigger.subscribe, trigger.count);
  useFrameInput({ frame, trigger, terminal });
  useWindowSize();
  const painter = useMemo(() => new RowPainter(themes[frame.theme]), [frame.theme]);
  useLayoutEffect(() => {
    // Another program's window is not painted over.
    if (terminal.isLent) return;
    const { columns, rows: height } = size();
    const { rows, cursor } = framePicture(frame, { columns, rows: height });
    window.paint({ rows: rows.slice(0, height), cursor, columns, painter });
    onPainted();
  });
  return null;
}
