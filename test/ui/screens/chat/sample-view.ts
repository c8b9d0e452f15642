// Creates a chat's state and layout without a server, to draw its components.

import { Store } from "../../../../source/base/store.ts";
import type { TranscriptEntry } from "../../../../source/chat/conversation/transcript-entry.ts";
import type { ModelFacts } from "../../../../source/client/chat-events.ts";
import { CodeHighlighter } from "../../../../source/ui/markdown/code-highlighter.ts";
import { type ChatState, createChatState } from "../../../../source/ui/screens/chat/chat-state.ts";
import type { ChatView } from "../../../../source/ui/screens/chat/chat-view.ts";
import { PrintedEntries } from "../../../../source/ui/screens/chat/transcript/printed-entries.ts";
import { TranscriptLayout } from "../../../../source/ui/screens/chat/transcript/transcript-layout.ts";

export interface SampleViewOptions extends Partial<Pick<ChatView, "examplePrompts" | "watch">> {
  readonly state?: Partial<ChatState>;
  readonly facts?: Partial<ModelFacts>;
}

export function sampleView(options: SampleViewOptions = {}): ChatView {
  const { state = {}, facts = {}, examplePrompts = ["Sing."] } = options;
  return {
    store: new Store({ ...createChatState(undefined, []), ...state }),
    backend: { facts: { name: "tiny", contextLength: 4096, card: "Tells stories.", ...facts } },
    examplePrompts,
    layout: new TranscriptLayout({
      highlighter: new CodeHighlighter(),
      folder: "/work",
      drawsImages: false,
      timeText: () => "10:41",
    }),
    printed: new PrintedEntries(),
    folder: "/work",
    watch: options.watch,
    head: () => undefined,
  };
}

/** Alternating questions and answers, numbered. */
export function sampleEntries(count: number): readonly TranscriptEntry[] {
  return Array.from({ length: count }, (_, id): TranscriptEntry => {
    return id % 2 === 0
      ? { kind: "user", id, text: `question ${id}`, atMs: 0 }
      : { kind: "assistant", id, text: `answer ${id}`, state: "complete", note: "61 tok/s" };
  });
}
