// Reads the frame from components: current screen, overlay, hints.

import { useWindowSize } from "ink";
import { useSyncExternalStore } from "react";
import type { Frame } from "../frame/frame.ts";
import type { WindowSize } from "../frame/window-size.ts";
import { usePaced } from "./use-store.ts";

/** @param select returns the same value until that part of the frame changes */
export function useFrame<Part>(frame: Frame, select: (frame: Frame) => Part): Part {
  const subscribe = usePaced(frame);
  return useSyncExternalStore(subscribe, () => select(frame));
}

/** Returns the program's size in cells and rows; updates when the terminal is resized. */
export function useFrameSize(frame: Frame): WindowSize {
  // Inline, the program is smaller than the window, and only Ink reports a resize.
  useWindowSize();
  return frame.windowSize();
}
