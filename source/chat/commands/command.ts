// A chat command: one row of the table behind keys, slash names, hints and help.

import type { ChatActions } from "../chat-actions.ts";

/** Description of a command, for help and documentation. */
export interface CommandFacts {
  /** Stable name, `area.action`, such as `models.delete`. */
  readonly id: string;
  readonly title: string;
  readonly group: string;
  /** Key names as in `interpretInput`; the first one is shown in hints. */
  readonly keys: readonly string[];
  /** Further search words. */
  readonly keywords?: readonly string[];
  /** Names to type in the chat, such as `/clear`. */
  readonly slash?: readonly string[];
  /** Arguments of the slash name, for the help. */
  readonly slashArguments?: string;
}

/** Keys go into the field, to the messages, into the search of the history, or decide about a call. */
export type ChatMode = "writing" | "reading" | "searching" | "deciding";

/** Facts that decide which keys are valid now. */
export interface CommandSituation {
  readonly mode: ChatMode;
  readonly isBusy: boolean;
  /** The model thinks before its answer. */
  readonly isThinking: boolean;
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
  /** A call of the model waits for a decision. */
  readonly isAsked: boolean;
  /** A permission may cover later calls of its tool. */
  readonly isKeepable: boolean;
  /** Models to begin with are listed, and keys act on the list. */
  readonly hasOffers: boolean;
  /** True while a model of the list is downloaded. */
  readonly isDownloading: boolean;
}

/** Text output of a command: it is printed, and the model does not see it. */
export interface Printed {
  readonly printed: string;
}

/** Outcome of a command: a sentence on failure. */
export type Outcome = Done | Promise<Done>;
type Done = string | Printed | undefined;

/** Actions of typed commands, implemented by the screen's controller and the line chat. */
export interface CommandContext {
  readonly actions: ChatActions;
  leave(): undefined;
  /** Clears the messages and starts a new chat; reports the settings that it keeps. */
  clear(name?: string): Outcome;
  /** Asks for confirmation. @returns false also without a terminal to ask on */
  confirm(question: string): Promise<boolean>;
  chooseModel(): Outcome;
  /** Shows the settings of the chat; on a screen they can be changed. */
  chooseSettings(): Outcome;
  /** Shows tool servers and their tools; on a screen they can be switched. */
  chooseTools(): Outcome;
  /** Writes a message from a prompt of a tool server. */
  choosePrompt(): Outcome;
  chooseSession(words: string): Outcome;
  openSession(reference: string): Outcome;
  /** Replaces the last answer. */
  regenerate(): Outcome;
  /** Puts the last question into the field; the next message replaces it. */
  editLast(): Outcome;
  /** Puts a text into the field. */
  write(text: string): undefined;
  /** @param topic one of Ollama's: `set`, `show`, `shortcuts` */
  openHelp(topic: string): Outcome;
  /** Prints a text into the transcript. @param line the typed line, if any */
  print(text: string, line?: string): undefined;
}

export type CommandGroup =
  | "Often used"
  | "Commands"
  | "Chat"
  | "Messages"
  | "Tool calls"
  | "Scrolling"
  | "Editing"
  | "Searching";

/** Keys of the command; the first one is shown in hints. */
export interface Command<Context extends CommandContext = CommandContext> extends CommandFacts {
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
  run(context: Context, argument: string): Outcome;
}

/**
 * Runs a command and prints its output.
 *
 * @param line the typed line; undefined for a key
 * @returns a sentence on failure
 */
export async function runCommand<Context extends CommandContext>(
  command: Pick<Command<Context>, "run">,
  context: Context,
  argument: string,
  line?: string,
): Promise<string | undefined> {
  const outcome = await command.run(context, argument);
  if (typeof outcome !== "object") return outcome;
  return context.print(outcome.printed, line);
}

type Grouped<Context extends CommandContext> = Omit<Command<Context>, "group" | "keys"> &
  Partial<Pick<Command, "group" | "keys">>;

/** Adds shared facts to commands; those without keys are slash commands only. */
export function commandGroup<Context extends CommandContext = CommandContext>(
  shared: Pick<Command, "group" | "mode" | "when" | "isAllowedWhileBusy">,
  commands: readonly Grouped<Context>[],
): readonly Command<Context>[] {
  return commands.map((command) => ({ keys: [], ...shared, ...command }));
}
