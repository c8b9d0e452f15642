// Keys and pastes go to the frame; the frame may lend the terminal to other programs.

import { useApp, useInput, usePaste } from "ink";
import type { Frame } from "../frame/frame.ts";
import { interpretInput } from "../keys/key-name.ts";
import type { PaintTrigger } from "./paint-trigger.ts";
import type { TerminalHandle } from "./terminal-handle.ts";

/** What every root component is given. */
export interface FrameProps {
  readonly frame: Frame;
  readonly trigger: PaintTrigger;
  readonly terminal: TerminalHandle;
}

export function useFrameInput({ frame, trigger, terminal }: FrameProps): void {
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
