// A chat command: one row of the table behind keys, slash names, hints and help.

import type { EditorAction } from "../../../editor/editor-state.ts";
import type { CommandFacts } from "../../../frame/screen.ts";
import { type ChatMode, type ChatState, modeOf } from "../chat-state.ts";
import type { HistorySearchAction } from "../composer/history-search.ts";
import { isComplete } from "../composer/menu.ts";
import type { ChatActions } from "../conversation/chat-actions.ts";
import type { ScrollRequest } from "../transcript/transcript-window.ts";

/** Facts that decide which keys are valid now. */
export interface CommandSituation {
  readonly mode: ChatMode;
  readonly isBusy: boolean;
  readonly isEditorEmpty: boolean;
  /** The cursor is at the end of its line. */
  readonly isAtLineEnd: boolean;
  /** The view is scrolled back. */
  readonly isAnchored: boolean;
  readonly hasMessages: boolean;
  /** The last question is being edited. */
  readonly isEditing: boolean;
  /** Completions are shown below the field. */
  readonly hasMenu: boolean;
  /** Enter accepts the selected completion. */
  readonly isCompleting: boolean;
  /** A command is typed, not a message. */
  readonly isCommand: boolean;
  /** Messages wait to be sent. */
  readonly hasQueue: boolean;
}

/** Text output of a command: it is printed, and the model does not see it. */
export interface Printed {
  readonly printed: string;
}

/** Outcome of a command: a sentence on failure. */
export type Outcome = Done | Promise<Done>;
type Done = string | Printed | undefined;

export interface ComposerControl {
  edit(action: EditorAction): undefined;
  /** Moves a row up or down in the editor, past its edge through the history. */
  moveRow(direction: -1 | 1): undefined;
  complete(): Outcome;
  submit(): undefined;
  /** Puts the last queued message into the field. */
  takeBack(): undefined;
  moveMenu(direction: -1 | 1): undefined;
  /** Puts the selected completion into the field. */
  takeFromMenu(): undefined;
  closeMenu(): undefined;
  openEditor(): Outcome;
  startSearch(): undefined;
  search(action: HistorySearchAction): undefined;
  /** @param isKept puts the shown match into the field */
  endSearch(isKept: boolean): undefined;
}

export interface MessageControl {
  scroll(request: ScrollRequest): undefined;
  stopReading(): undefined;
  select(direction: -1 | 1): undefined;
  toggleThinking(): Outcome;
  copyMessage(): Outcome;
  /** Copies the next code block of the message, or of the nearest one with code. */
  copyCode(): Outcome;
  /** @param isConfirmed false asks first where an answer would be lost */
  regenerate(isConfirmed: boolean): Outcome;
  /** Puts the last question into the field; the next message replaces it. */
  editLast(): Outcome;
  cancelEditing(): undefined;
  /** Starts a new chat with the messages up to the selected one. */
  forkHere(): Outcome;
  page(): Outcome;
}

/** Actions of commands, implemented by the screen's controller and the line chat. */
export interface CommandContext {
  readonly actions: ChatActions;
  readonly composer: ComposerControl;
  readonly messages: MessageControl;
  stop(): undefined;
  interrupt(): undefined;
  escape(): undefined;
  leave(): undefined;
  /** Clears the messages and starts a new chat; reports the settings that it keeps. */
  clear(name?: string): Outcome;
  /** Asks for confirmation. @returns false also without a terminal to ask on */
  confirm(question: string): Promise<boolean>;
  chooseModel(): Outcome;
  /** Shows the settings of the chat; on a screen they can be changed. */
  chooseSettings(): Outcome;
  chooseSession(words: string): Outcome;
  openSession(reference: string): Outcome;
  /** @param topic one of Ollama's: `set`, `show`, `shortcuts` */
  openHelp(topic: string): Outcome;
  /** Prints a text into the transcript. @param line the typed line, if any */
  print(text: string, line?: string): undefined;
}

export type CommandGroup = "Commands" | "Chat" | "Messages" | "Scrolling" | "Editing" | "Searching";

/** Keys of the command; the first one is shown in hints. */
export interface Command extends CommandFacts {
  readonly group: CommandGroup;
  /** Modes in which its keys are valid. Defaults to all but the search. */
  readonly mode?: ChatMode;
  /** A word for the hint row; without it there is no hint. */
  readonly hint?: string | ((situation: CommandSituation) => string);
  /** When its keys are valid. Defaults to always. */
  readonly when?: (situation: CommandSituation) => boolean;
  /** When the hint is shown. Defaults to `when`. */
  readonly hintWhen?: (situation: CommandSituation) => boolean;
  /** Its slash name may be used while an answer runs. Defaults to false. */
  readonly isAllowedWhileBusy?: boolean;
  /**
   * @param argument the text after the slash name, empty for a key
   * @returns a sentence on failure; the typed line then stays in the editor
   */
  run(context: CommandContext, argument: string): Outcome;
}

/**
 * Runs a command and prints its output.
 *
 * @param line the typed line; undefined for a key
 * @returns a sentence on failure
 */
export async function runCommand(
  command: Pick<Command, "run">,
  context: CommandContext,
  argument: string,
  line?: string,
): Promise<string | undefined> {
  const outcome = await command.run(context, argument);
  if (typeof outcome !== "object") return outcome;
  return context.print(outcome.printed, line);
}

type Grouped = Omit<Command, "group" | "keys"> & Partial<Pick<Command, "group" | "keys">>;

/** Adds shared facts to commands; those without keys are slash commands only. */
export function commandGroup(
  shared: Pick<Command, "group" | "mode" | "isAllowedWhileBusy">,
  commands: readonly Grouped[],
): readonly Command[] {
  return commands.map((command) => ({ keys: [], ...shared, ...command }));
}

export function situationOf(state: ChatState): CommandSituation {
  const { text, cursor } = state.editor;
  return {
    mode: modeOf(state),
    isBusy: state.activity !== undefined,
    isEditorEmpty: text === "",
    isAtLineEnd: cursor === text.length || text[cursor] === "\n",
    isAnchored: state.viewport.kind === "anchored",
    hasMessages: state.entries.length > 0,
    isEditing: state.editingId !== undefined,
    hasMenu: state.menu !== undefined,
    isCompleting: state.menu !== undefined && !isComplete(state.editor, state.menu),
    isCommand: /^\/[^/\s]*(?:\s|$)/.test(text),
    hasQueue: state.queue.messages.length > 0,
  };
}

/** True if the command's keys are valid now. */
export function isValidIn({ mode, when }: Command, situation: CommandSituation): boolean {
  const isInPlace = mode === undefined ? situation.mode !== "searching" : mode === situation.mode;
  return isInPlace && (when?.(situation) ?? true);
}
