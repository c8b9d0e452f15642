// Situations of the chat in which keys are valid.

import type { CommandRow } from "../../../frame/command-table.ts";
import type { ChatContext } from "../chat-context.ts";
import { type ChatMode, modeOf } from "../chat-state.ts";
import { isComplete } from "../composer/menu.ts";
import { areOffersOpen } from "../first-models.ts";

export type Row = CommandRow<ChatContext>;
export type When = Row["when"];

export function inMode(mode: ChatMode): When {
  return ({ state }) => modeOf(state) === mode;
}

export const isWriting = inMode("writing");
export const isReading = inMode("reading");
export const isSearching = inMode("searching");
/** The search of the history leaves no key to others. */
export const isOutsideSearch: When = (chat) => !isSearching(chat);

export const isFree: When = ({ state }) => state.activity === undefined;
export const isBusy: When = ({ state }) => state.activity !== undefined;
export const isThinking: When = ({ state }) => state.activity?.phase.type === "thinking";
export const isFieldEmpty: When = ({ state }) => state.editor.text === "";
export const isAtLineEnd: When = ({ state: { editor } }) =>
  editor.cursor === editor.text.length || editor.text[editor.cursor] === "\n";
/** A command is typed, not a message. */
export const isCommand: When = ({ state }) => /^\/[^/\s]*(?:\s|$)/.test(state.editor.text);
export const isEditing: When = ({ state }) => state.editingId !== undefined;
export const isAnchored: When = ({ state }) => state.viewport.kind === "anchored";
export const hasMessages: When = ({ state }) => state.entries.length > 0;
export const hasQueue: When = ({ state }) => state.queue.messages.length > 0;
/** Completions are shown below the field. */
export const hasMenu: When = ({ state }) => state.menu !== undefined;
/** Enter accepts the selected completion. */
export const isCompleting: When = ({ state: { editor, menu } }) =>
  menu !== undefined && !isComplete(editor, menu);
/** A call of the model waits for a decision. */
export const isAsked: When = ({ state }) => state.asked !== undefined;
/** A permission may cover later calls of its tool. */
export const isKeepable: When = ({ state }) => state.asked?.isKeepable ?? false;
/** Models to begin with are listed, and keys act on the list. */
export const hasOffers: When = ({ state }) => areOffersOpen(state);
export const isDownloading: When = ({ state }) => state.offers?.download !== undefined;

export function both(one: When, other: When): When {
  return (chat) => one(chat) && other(chat);
}

/** Returns a hint that is shown only sometimes. */
export function hintIf(when: When, word: string): (chat: ChatContext) => string | undefined {
  return (chat) => (when(chat) ? word : undefined);
}
