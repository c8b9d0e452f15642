// The one place that takes keys and pastes from Ink: the frame's command table says where each goes.

import { useApp, useInput, usePaste } from "ink";
import { use, useEffect, useRef } from "react";
import type { Frame } from "../frame/frame.ts";
import type { TerminalHandle } from "../frame/terminal-services.ts";
import { interpretInput } from "../keys/key-name.ts";
import { PaceContext } from "./use-store.ts";

/** Every active `useInput` gets every key, so components have none of their own. */
export function useKeyRouter(frame: Frame, terminal: TerminalHandle): void {
  const pace = use(PaceContext);
  terminal.suspend = useApp().suspendTerminal;
  const isReading = useRef(false);
  useInput((input, key) => {
    pace.hurry();
    const isTypedAhead = !isReading.current || frame.isStarting;
    for (const press of interpretInput(input, key, isTypedAhead)) frame.press(press);
  });
  useEffect(() => {
    // Before the second turn of the event loop Node has read what the terminal kept until now.
    setImmediate(() => setImmediate(() => (isReading.current = true)));
  }, []);
  usePaste((text) => {
    pace.hurry();
    frame.paste(text);
  });
}
