// Everything that the chat screen shows, as one immutable value.

import type { AnswerStatistics, ClientMessage } from "../../client/chat-events.ts";
import type { ChatSettings } from "../chat-backend.ts";
import { createEditorState, type EditorState } from "../editor/editor-state.ts";
import { followTail, type Viewport } from "../view/viewport.ts";

/** How an answer stands: `limit` ended at the token limit or with a full window. */
export type AnswerState = "running" | "complete" | "limit" | "stopped" | "failed";

export type TranscriptEntry =
  | { readonly kind: "user"; readonly id: number; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly id: number;
      readonly text: string;
      readonly state: AnswerState;
    }
  | { readonly kind: "error"; readonly id: number; readonly text: string }
  | { readonly kind: "notice"; readonly id: number; readonly text: string };

/** What the running request is at. */
export type ActivityPhase =
  | { readonly kind: "waiting" }
  | { readonly kind: "queued"; readonly ahead: number }
  | { readonly kind: "loading"; readonly fraction: number }
  | { readonly kind: "prompt"; readonly completedTokens: number; readonly totalTokens: number }
  | { readonly kind: "thinking"; readonly characters: number }
  | {
      readonly kind: "answering";
      /** Undefined until there is a time to divide by. */
      readonly tokensPerSecond: number | undefined;
      readonly ttftMs: number;
    };

export interface Activity {
  readonly phase: ActivityPhase;
  /** Milliseconds since the message was sent. */
  readonly elapsedMs: number;
}

/** Figures of the last answer that ended. */
export interface AnswerFigures {
  /** Milliseconds from sending to the first text, as seen from here. */
  readonly ttftMs: number | undefined;
  /** Missing when the answer was stopped or broke off. */
  readonly statistics: AnswerStatistics | undefined;
}

export interface ChatState {
  readonly entries: readonly TranscriptEntry[];
  /** Undefined while nothing runs. */
  readonly activity: Activity | undefined;
  readonly figures: AnswerFigures | undefined;
  readonly settings: ChatSettings;
  readonly editor: EditorState;
  readonly viewport: Viewport;
  /** A sentence in place of the status line, until the next key. */
  readonly notice: string | undefined;
}

export function createChatState(
  settings: ChatSettings | undefined,
  messages: readonly ClientMessage[],
  history: readonly string[],
): ChatState {
  return {
    entries: messages.flatMap((message, index) => entryOf(message, index)),
    activity: undefined,
    figures: undefined,
    settings: settings ?? { system: undefined, parameters: {} },
    editor: createEditorState(history),
    viewport: followTail,
    notice: undefined,
  };
}

/** A number that no entry has yet. */
export function nextEntryId(entries: readonly TranscriptEntry[]): number {
  return (entries.at(-1)?.id ?? -1) + 1;
}

/** The conversation as the model is to see it: errors and notices are not part of it. */
export function conversationOf(entries: readonly TranscriptEntry[]): ClientMessage[] {
  return entries.flatMap((entry): ClientMessage[] => {
    if (entry.kind !== "user" && entry.kind !== "assistant") return [];
    if (entry.kind === "assistant" && entry.state === "running" && entry.text === "") return [];
    return [{ role: entry.kind, content: entry.text }];
  });
}

function entryOf(message: ClientMessage, id: number): TranscriptEntry[] {
  if (message.role === "user") return [{ kind: "user", id, text: message.content }];
  if (message.role !== "assistant") return [];
  return [{ kind: "assistant", id, text: message.content, state: "complete" }];
}
