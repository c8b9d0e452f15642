// Commands with names to type, such as `/set system TEXT`, and how a typed line finds one.

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

/** Text output of a command: it is printed, and the model does not see it. */
export interface Printed {
  readonly printed: string;
}

/** Outcome of a command: a sentence on failure. */
export type Outcome = Done | Promise<Done>;
type Done = string | Printed | undefined;

/** Actions of typed commands, implemented by the chat screen and the line chat. */
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

/** A command with slash names. */
export interface Command extends CommandFacts {
  /** May be used while an answer runs. Defaults to false. */
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

/** Adds shared facts to commands; the screen adds keys. */
export function commandGroup(
  shared: Pick<Command, "group" | "isAllowedWhileBusy">,
  commands: readonly Omit<Command, "group" | "keys">[],
): readonly Command[] {
  return commands.map((command) => ({ keys: [], ...shared, ...command }));
}

/** Returns the slash names of a command with their arguments. */
export function slashUsages({ slash = [], slashArguments }: CommandFacts): string[] {
  return slash.map((name) => (slashArguments === undefined ? name : `${name} ${slashArguments}`));
}

/** A command, the name that was typed, and the text after it. */
export interface TypedCommand<Named> {
  readonly command: Named;
  readonly name: string;
  readonly argument: string;
}

/** Finds the command at the beginning of a line. `/set system` wins over `/set`, the first command of a shared name over others. */
export function findTyped<Named extends Pick<CommandFacts, "slash">>(
  commands: readonly Named[],
  line: string,
): TypedCommand<Named> | undefined {
  const text = line.trim();
  const words = text.split(/\s+/, 2);
  for (const name of [words.join(" "), ...words.slice(0, -1)]) {
    const command = commands.find(({ slash }) => slash?.includes(name));
    if (command === undefined) continue;
    // The argument keeps its line breaks.
    const argument = text.replace(new RegExp(`^(?:\\S+\\s*){${name.split(" ").length}}`), "");
    return { command, name, argument };
  }
  return undefined;
}
