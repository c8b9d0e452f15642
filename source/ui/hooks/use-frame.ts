// Reads the frame from components: which screen is in front, what lies over it, what the hints say.

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

/** The cells and rows that the program has, told again when the terminal's size changes. */
export function useFrameSize(frame: Frame): WindowSize {
  // Inline, the program takes less than the window: Ink only says when that changes.
  useWindowSize();
  return frame.windowSize();
}
