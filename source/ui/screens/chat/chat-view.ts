// State, model and layout that the components of a chat read.

import { useMemo } from "react";
import { Store } from "../../../base/store.ts";
import type { ChatBackend } from "../../../chat/chat-backend.ts";
import type { SessionHead } from "../../../chat/sessions/session.ts";
import { type ModelFacts, prefillRate } from "../../../client/chat-events.ts";
import type { WatchedServer } from "../../../client/live/server-watch.ts";
import type { BodySize } from "../../frame/screen.ts";
import { type Readable, useParts, useShallow, useStore } from "../../hooks/use-store.ts";
import type { ConversationFigures } from "../../live/engine-figures.ts";
import type { TextRow } from "../../text/text-run.ts";
import { type ChatLayout, chatLayout, transcriptWidth } from "./chat-layout.ts";
import type { ChatState } from "./chat-state.ts";
import { progressText } from "./status-text.ts";
import { emptyChatRows } from "./transcript/empty-chat.tsx";
import { offerRows } from "./transcript/offer-rows.ts";
import type { PrintedEntries } from "./transcript/printed-entries.ts";
import type { LaidOutTranscript, TranscriptLayout } from "./transcript/transcript-layout.ts";

export interface ChatView {
  readonly store: Store<ChatState>;
  readonly backend: Pick<ChatBackend, "facts">;
  readonly examplePrompts: readonly string[];
  readonly layout: TranscriptLayout;
  /** Entries printed to the terminal's scrollback, in the layout `inline`. */
  readonly printed: PrintedEntries;
  /** The working folder. */
  readonly folder: string;
  /** The server; undefined for a deployment. */
  readonly watch: Readable<WatchedServer> | undefined;
  /** The saved chat that continues here; undefined before the first message. */
  readonly head: () => SessionHead | undefined;
}

/** The entries as rows, laid out on demand. */
export function layOutTranscript(
  { backend, layout }: ChatView,
  { entries, activity }: Pick<ChatState, "entries" | "activity">,
  width: number,
): LaidOutTranscript {
  const progress = activity && progressText(activity, backend.facts);
  return layout.rows(entries, width, progress);
}

/** The current model, which `/model` changes. */
export function useModelFacts({ store, backend }: ChatView): ModelFacts {
  return useShallow(store, () => {
    const { name, loadedAs, contextLength, card } = backend.facts;
    return { name, loadedAs, contextLength, card };
  });
}

const unwatched = new Store<WatchedServer>({ link: { kind: "connecting" }, samples: [] });

/** True while the server does not respond. */
export function useIsServerDown({ watch = unwatched }: ChatView): boolean {
  return useStore(watch, ({ link }) => link.kind === "down");
}

/** Heights of the parts in this room; they change with input and notices. */
export function useChatLayout({ store }: ChatView, size: BodySize): ChatLayout {
  return chatLayout(useParts(store, "editor", "search", "notice", "menu", "queue"), size);
}

/** Rows of an empty chat; undefined once there is a message. */
export function useEmptyChatRows(chat: ChatView, columns: number): readonly TextRow[] | undefined {
  const { store, examplePrompts } = chat;
  const isEmpty = useStore(store, ({ entries }) => entries.length === 0);
  const offers = useStore(store, (state) => state.offers);
  const facts = useModelFacts(chat);
  return useMemo(() => {
    if (!isEmpty) return undefined;
    const width = transcriptWidth(columns);
    const offered = offers === undefined ? [] : offerRows(offers, width);
    // A list of models takes the place of the built-in one.
    if ((offers?.found?.models.length ?? 0) > 0) return offered;
    const model = emptyChatRows(facts, examplePrompts, width);
    return offered.length === 0 ? model : [...offered, [], ...model];
  }, [isEmpty, offers, facts, examplePrompts, columns]);
}

export function useConversationFigures(chat: ChatView): ConversationFigures {
  return useShallow(chat.store, (state) => conversationFigures(state, chat.backend.facts));
}

/** Figures of the running answer, or of the last one. The rate is rounded, so that it changes rarely. */
function conversationFigures(
  state: Pick<ChatState, "activity" | "figures" | "waitsMs" | "contextTokens">,
  { name, loadedAs, contextLength }: ModelFacts,
): ConversationFigures {
  const { activity, figures, waitsMs, contextTokens } = state;
  const running = activity?.phase.type === "answering" ? activity.phase : undefined;
  const statistics = activity === undefined ? figures?.statistics : undefined;
  return {
    model: name,
    loadedAs,
    ttftMs: running?.ttftMs ?? figures?.ttftMs,
    ttftMedianMs: median(waitsMs),
    tokensPerSecond: running?.tokensPerSecond && Math.round(running.tokensPerSecond * 10) / 10,
    promptTokensPerSecond: statistics && prefillRate(statistics),
    contextTokens,
    contextLength,
  };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
