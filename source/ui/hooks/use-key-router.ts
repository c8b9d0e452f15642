// The only place that takes keys and pastes from Ink; the frame's commands decide where each goes.

import { useApp, useInput, usePaste } from "ink";
import { use } from "react";
import type { Frame } from "../frame/frame.ts";
import type { TerminalHandle } from "../frame/terminal-services.ts";
import { interpretInput } from "../keys/key-name.ts";
import { PaceContext } from "./use-store.ts";

/** Ink gives every key to every active `useInput`, so components have none of their own. */
export function useKeyRouter(frame: Frame, terminal: TerminalHandle): void {
  const pace = use(PaceContext);
  terminal.suspend = useApp().suspendTerminal;
  useInput((input, key) => {
    pace.hurry();
    for (const press of interpretInput(input, key, frame.isStarting)) frame.press(press);
  });
  usePaste((text) => {
    pace.hurry();
    frame.paste(text);
  });
}
