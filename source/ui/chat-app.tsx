// The root component: connects the store, the keyboard and the window with the screen.

import { useInput, useIsScreenReaderEnabled, usePaste, useWindowSize } from "ink";
import { type ReactElement, useSyncExternalStore } from "react";
import { ChatScreen } from "./components/chat-screen.tsx";
import { ScreenReaderChat } from "./components/screen-reader-chat.tsx";
import { interpretInput } from "./keys/key-name.ts";
import type { ChatController } from "./state/chat-controller.ts";
import type { ChatState } from "./state/chat-state.ts";
import type { Store } from "./state/store.ts";
import type { Glyphs } from "./theme.ts";
import type { ScreenModel } from "./view/screen-model.ts";
import type { ModelLine } from "./view/status-text.ts";

export interface ChatAppProps {
  readonly store: Store<ChatState>;
  readonly controller: ChatController;
  readonly model: ScreenModel;
  readonly facts: ModelLine;
  readonly glyphs: Glyphs;
}

export function ChatApp({ store, controller, model, facts, glyphs }: ChatAppProps): ReactElement {
  const state = useSyncExternalStore(store.subscribe, store.get);
  const size = useWindowSize();
  const isScreenReader = useIsScreenReaderEnabled();
  useInput((input, key) => {
    for (const press of interpretInput(input, key)) controller.press(press);
  });
  usePaste((text) => controller.paste(text));
  if (isScreenReader) {
    return <ScreenReaderChat state={state} model={facts} columns={size.columns} />;
  }
  return <ChatScreen view={model.view(state, size)} glyphs={glyphs} />;
}
