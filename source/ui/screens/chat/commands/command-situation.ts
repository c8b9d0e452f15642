// Facts of the chat that decide which of its commands are valid.

import type { Command, CommandSituation } from "../../../../chat/commands/command.ts";
import { type ChatState, modeOf } from "../chat-state.ts";
import { isComplete } from "../composer/menu.ts";
import { areOffersOpen } from "../first-models.ts";

/** Returns the facts of the chat as it is now. */
export function situationOf(state: ChatState): CommandSituation {
  const { editor, menu } = state;
  const { text, cursor } = editor;
  return {
    mode: modeOf(state),
    isBusy: state.activity !== undefined,
    isThinking: state.activity?.phase.type === "thinking",
    isEditorEmpty: text === "",
    isAtLineEnd: cursor === text.length || text[cursor] === "\n",
    isAnchored: state.viewport.kind === "anchored",
    hasMessages: state.entries.length > 0,
    isEditing: state.editingId !== undefined,
    hasMenu: menu !== undefined,
    isCompleting: menu !== undefined && !isComplete(editor, menu),
    isCommand: /^\/[^/\s]*(?:\s|$)/.test(text),
    hasQueue: state.queue.messages.length > 0,
    isAsked: state.asked !== undefined,
    isKeepable: state.asked?.isKeepable ?? false,
    hasOffers: areOffersOpen(state),
    isDownloading: state.offers?.download !== undefined,
  };
}

/** True if the command's keys are valid now. */
export function isValidIn(
  { mode, when }: Pick<Command, "mode" | "when">,
  situation: CommandSituation,
): boolean {
  const isInPlace = mode === undefined ? situation.mode !== "searching" : mode === situation.mode;
  return isInPlace && (when?.(situation) ?? true);
}
