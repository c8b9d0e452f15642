// Errors of the command line, with suggestions.
import { nearestName } from "../../base/nearest-name.ts";
import type { ProductError } from "../../base/product-error.ts";
import { usageError } from "../errors.ts";
import {
  type Command,
  commandsBelow,
  type FlagTable,
  type Program,
  typedFlag,
  usageOf,
  visibleCommands,
} from "./definition.ts";
import { flagNamed, type TypedFlag, type TypedWord } from "./typed-words.ts";

/** Returns the beginning of a hint, empty without a suggestion. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}

/** Returns a name that begins with the typed text, or is similar to it. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const longer = names.find((name) => name.startsWith(typed.toLowerCase()));
  return typed.length >= shortestStart && longer !== undefined ? longer : nearestName(typed, names);
}

/** Shorter prefixes match too many names. */
const shortestStart = 3;

/** @param group the first word, if it is that of a group */
export function unknownCommand(
  program: Program,
  [first = "", second]: readonly string[],
  group: string | undefined,
): ProductError {
  if (group === undefined) {
    const hint = `${didYouMean(nearestCommand(program, first))}See ${program.name} --help.`;
    return usageError(`Unknown command '${first}'.`, hint);
  }
  const seconds = commandsBelow(program, group).map(secondWord);
  const help = `See ${program.name} ${group} --help.`;
  if (second === undefined) {
    return usageError(
      `Missing subcommand of ${program.name} ${group}: ${seconds.join(", ")}.`,
      help,
    );
  }
  const meant = nearest(second, seconds);
  const hint =
    meant === undefined ? `It has ${seconds.join(", ")}. ` : didYouMean(`${group} ${meant}`);
  return usageError(`${program.name} ${group} has no '${second}'.`, `${hint}${help}`);
}

/** Searches names, synonyms, and second words. */
function nearestCommand(program: Program, typed: string): string | undefined {
  const names = new Map<string, string>();
  const commands = visibleCommands(program);
  const add = (word: string, meant: string) => names.set(word, names.get(word) ?? meant);
  for (const { name, aliases = [] } of commands) {
    const [first = ""] = name.split(" ");
    add(first, first);
    for (const alias of aliases) add(alias, alias);
  }
  for (const { name, synonyms = [] } of commands) for (const word of synonyms) add(word, name);
  for (const { name } of commands) add(secondWord({ name }), name);
  const meant = nearest(typed, [...names.keys()]);
  return meant === undefined ? undefined : names.get(meant);
}

/** `list` of `apps list`. */
export function secondWord({ name }: { name: string }): string {
  return name.slice(name.indexOf(" ") + 1);
}

/**
 * @param all flags of every command
 * @throws ProductError `COMMAND_USAGE` for the first wrong flag
 */
export function checkFlags(
  program: Program,
  command: Command,
  words: readonly TypedWord[],
  all: FlagTable,
): void {
  const seen = new Set<string>();
  for (const word of words) {
    if (word.kind === "word") continue;
    const { typed, name, flag, value, isApart } = word;
    if (flag === undefined || name === undefined) throw unknownFlag(program, command, word, all);
    const hint = helpHint(program, command);
    const isSwitch = flag.type === "boolean";
    if (isSwitch && value !== undefined) throw usageError(`${typed} takes no value.`, hint);
    if (!isSwitch && !value) throw usageError(`${typed} needs a value.`, hint);
    // `--model --json`: the value is missing.
    if (isApart && /^--[a-z]/.test(value ?? "")) {
      throw usageError(
        `${typed} needs a value, but ${value} looks like a flag.`,
        `To use it as the value, write ${typed}=${value}.`,
      );
    }
    if (seen.has(name) && flag.type !== "strings")
      throw usageError(`${typed} is used twice.`, hint);
    seen.add(name);
  }
}

function unknownFlag(
  program: Program,
  command: Command,
  { text, typed }: TypedFlag,
  all: FlagTable,
): ProductError {
  const called = calledAs(program, command);
  // A prompt such as "-5 + 3".
  if (/\s/.test(text)) {
    const quoted = JSON.stringify(text);
    return usageError(`${quoted} looks like a flag.`, `Put -- before it: ${called} … -- ${quoted}`);
  }
  const own = Object.entries(command.flags).flatMap(([name, flag]) =>
    flag.isHidden ? [] : [typedFlag(name, flag)],
  );
  const meant = typed.startsWith("--") ? nearest(typed, own) : undefined;
  const hint = `${didYouMean(meant)}${helpHint(program, command)}`;
  const [other] = flagNamed(typed, all);
  if (other !== undefined) return usageError(`Unknown flag ${typed} for ${called}.`, hint);
  return usageError(`Unknown flag ${typed}.`, hint);
}

/** @throws ProductError `COMMAND_USAGE` for an argument too many or too few */
export function checkWords(program: Program, command: Command, words: readonly string[]): void {
  const usage = command.words.split(" ").filter((word) => word !== "");
  const hint = `Usage: ${usageOf(program, command)}`;
  const missing = usage.filter((word) => !word.startsWith("["))[words.length];
  if (missing !== undefined)
    throw usageError(`${calledAs(program, command)} needs ${missing.replace("…", "")}.`, hint);
  const isOpen = usage.some((word) => word.includes("…"));
  const extra = isOpen ? undefined : words[usage.length];
  if (extra !== undefined)
    throw usageError(`${calledAs(program, command)} takes no '${extra}'.`, hint);
}

function helpHint(program: Program, command: Command): string {
  return `See ${calledAs(program, command)} --help.`;
}

function calledAs({ name }: Program, { name: command }: Command): string {
  return command === "" ? name : `${name} ${command}`;
}
