// What a command is: one line of the table that keys, slash names, hints and help are made from.

import type { EditorAction } from "../../../editor/editor-state.ts";
import { type ChatMode, type ChatState, modeOf } from "../chat-state.ts";
import type { HistorySearchAction } from "../composer/history-search.ts";
import type { ChatActions } from "../conversation/chat-actions.ts";
import type { ScrollRequest } from "../transcript/transcript-window.ts";

/** Facts that decide which keys are valid now. */
export interface CommandSituation {
  readonly mode: ChatMode;
  readonly isBusy: boolean;
  readonly isEditorEmpty: boolean;
  /** The cursor stands behind the last character of its line. */
  readonly isAtLineEnd: boolean;
  /** The view has been scrolled away from the tail. */
  readonly isAnchored: boolean;
  readonly hasMessages: boolean;
  /** The last question is being written anew. */
  readonly isEditing: boolean;
}

/** Actions in the field. */
export interface ComposerControl {
  edit(action: EditorAction): void;
  /** One row up or down in the editor, past its edge through the history. */
  moveRow(direction: -1 | 1): void;
  complete(): Promise<void>;
  submit(): void;
  /** Writes the message in $EDITOR. */
  openEditor(): Promise<string | undefined>;
  startSearch(): void;
  search(action: HistorySearchAction): void;
  /** @param isKept whether the entry on show goes into the field */
  endSearch(isKept: boolean): void;
}

/** Actions on messages. */
export interface MessageControl {
  scroll(request: ScrollRequest): void;
  startReading(): string | undefined;
  stopReading(): void;
  /** The message above or below. */
  select(direction: -1 | 1): void;
  toggleThinking(): string | undefined;
  copyMessage(): Promise<string | undefined>;
  /** The next block of code of the message. */
  copyCode(): Promise<string | undefined>;
  regenerate(): string | undefined | Promise<string | undefined>;
  /** Puts the last question into the field; what is sent then stands in for it. */
  editLast(): string | undefined;
  cancelEditing(): void;
  /** A new chat that goes up to the selected message. */
  forkHere(): Promise<string | undefined>;
  /** The whole transcript in $PAGER. */
  page(): Promise<string | undefined>;
}

/** Everything that a command may do: the screen's controller has it, and the line loop. */
export interface CommandContext {
  readonly actions: ChatActions;
  readonly composer: ComposerControl;
  readonly messages: MessageControl;
  stop(): void;
  interrupt(): void;
  escape(): void;
  leave(): void;
  /** Forgets the messages and begins a new chat. */
  clear(name?: string): void;
  /** Asks for a yes. @returns false also where nobody can be asked */
  confirm(question: string): Promise<boolean>;
  chooseModel(): Promise<string | undefined>;
  chooseSession(words: string): Promise<string | undefined>;
  openSession(reference: string): Promise<string | undefined>;
  /** @param topic one of Ollama's: `set`, `show`, `shortcuts` */
  openHelp(topic: string): void;
  /** Prints a text into the transcript; the model does not see it. */
  print(text: string): void;
}

export type CommandGroup = "Commands" | "Chat" | "Messages" | "Scrolling" | "Editing" | "Searching";

export interface Command {
  /** Stable name, `area.action`. */
  readonly id: string;
  /** What it does, for the help. */
  readonly title: string;
  readonly group: CommandGroup;
  /** Key names as in `interpretInput`; the first is the one to advertise. */
  readonly keys: readonly string[];
  /** Slash names, of one or two words. */
  readonly slash?: readonly string[];
  /** The words behind the slash name, for the help. */
  readonly slashArguments?: string;
  /** Where its keys are valid. Defaults to everywhere but in a search. */
  readonly mode?: ChatMode;
  /** One word for the hint row. Without it the command is not hinted at. */
  readonly hint?: string | ((situation: CommandSituation) => string);
  /** When its keys are valid. Defaults to always. */
  readonly when?: (situation: CommandSituation) => boolean;
  /** When the hint is shown. Defaults to `when`. */
  readonly hintWhen?: (situation: CommandSituation) => boolean;
  /** Whether its slash name may be used while an answer runs. Defaults to false. */
  readonly isAllowedWhileBusy?: boolean;
  /**
   * Does it.
   * @param argument the text behind the slash name, empty for a key
   * @returns a sentence when it could not be done; the typed line then stays in the editor
   */
  run(context: CommandContext, argument: string): string | undefined | Promise<string | undefined>;
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
  };
}

/** Says if the command's keys can be given now. */
export function isValidIn({ mode, when }: Command, situation: CommandSituation): boolean {
  const isInPlace = mode === undefined ? situation.mode !== "searching" : mode === situation.mode;
  return isInPlace && (when?.(situation) ?? true);
}
