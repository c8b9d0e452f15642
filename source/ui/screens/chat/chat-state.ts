// State of the chat screen, as one immutable value.

import type { ChatSettings } from "../../../chat/chat-backend.ts";
import type { Activity } from "../../../chat/conversation/running-answer.ts";
import type { EntryImage, TranscriptEntry } from "../../../chat/conversation/transcript-entry.ts";
import type { SessionHead } from "../../../chat/sessions/session.ts";
import type { AnswerStatistics } from "../../../client/chat-events.ts";
import type { Download } from "../../../client/download.ts";
import type { RecommendedModels } from "../../../client/models-hub.ts";
import { createEditorState, type EditorState } from "../../editor/editor-state.ts";
import type { HistorySearch } from "./composer/history-search.ts";
import type { Menu } from "./composer/menu.ts";
import { emptyQueue, type MessageQueue } from "./composer/message-queue.ts";
import { followTail, type Viewport } from "./transcript/transcript-window.ts";

/** Figures of the last answer that ended. */
export interface AnswerFigures {
  /** Milliseconds from sending to the first text, as measured here. */
  readonly ttftMs: number | undefined;
  /** Missing when the answer was stopped or interrupted. */
  readonly statistics: AnswerStatistics | undefined;
}

export interface ChatNotice {
  readonly text: string;
  /** An action failed. */
  readonly isWarning: boolean;
}

export interface AskedState {
  /** Keys decide about it; otherwise they go into the field. */
  readonly isFocused: boolean;
  /** A permission may cover later calls of its tool. */
  readonly isKeepable: boolean;
}

/** Models to begin with. */
export interface Offers {
  /** Undefined while they are being looked for. */
  readonly found: RecommendedModels | undefined;
  /** Index of the selected model. */
  readonly selected: number;
  /** Undefined while none is downloaded. */
  readonly download: Download | undefined;
}

export interface ChatState {
  readonly entries: readonly TranscriptEntry[];
  /** Number of the conversation on this screen: entry numbers restart with each. */
  readonly conversation: number;
  /** Undefined while nothing runs. */
  readonly activity: Activity | undefined;
  readonly figures: AnswerFigures | undefined;
  /** Milliseconds to the first text of the last answers, oldest first. */
  readonly waitsMs: readonly number[];
  /** Last token count of the conversation by the server; undefined after a change. */
  readonly contextTokens: number | undefined;
  readonly settings: ChatSettings;
  readonly editor: EditorState;
  /** Completions of the word at the cursor; undefined while there are none, or Esc closed them. */
  readonly menu: Menu | undefined;
  readonly viewport: Viewport;
  /** The message that keys act on while messages are read. */
  readonly selectedId: number | undefined;
  readonly search: HistorySearch | undefined;
  /** The call that waits for a decision; undefined while none does. */
  readonly asked: AskedState | undefined;
  /** The question that the next message will replace. */
  readonly editingId: number | undefined;
  /** Images that wait for their question. */
  readonly waitingImages: readonly EntryImage[];
  readonly queue: MessageQueue;
  /** Files are checked before the message is sent. */
  readonly isAttaching: boolean;
  /** Replaces the status line until the next key. */
  readonly notice: ChatNotice | undefined;
  readonly saved: readonly SessionHead[];
  /** Models to begin with; undefined if none are offered, or the user has closed the list. */
  readonly offers: Offers | undefined;
}

export function createChatState(
  settings: ChatSettings | undefined,
  history: readonly string[],
): ChatState {
  return {
    entries: [],
    conversation: 0,
    activity: undefined,
    figures: undefined,
    waitsMs: [],
    contextTokens: undefined,
    settings: settings ?? { system: undefined, parameters: {} },
    editor: createEditorState(history),
    menu: undefined,
    viewport: followTail,
    selectedId: undefined,
    search: undefined,
    asked: undefined,
    editingId: undefined,
    waitingImages: [],
    queue: emptyQueue,
    isAttaching: false,
    notice: undefined,
    saved: [],
    offers: undefined,
  };
}

/** Figures of another model say nothing of the new one. */
export const noFigures = {
  figures: undefined,
  waitsMs: [],
  contextTokens: undefined,
} as const satisfies Partial<ChatState>;

/** Keys go into the field, to the messages, into the search of the history, or decide about a call. */
export type ChatMode = "writing" | "reading" | "searching" | "deciding";

export function modeOf({
  search,
  selectedId,
  asked,
}: Pick<ChatState, "search" | "selectedId" | "asked">): ChatMode {
  if (search !== undefined) return "searching";
  if (asked?.isFocused) return "deciding";
  return selectedId === undefined ? "writing" : "reading";
}
