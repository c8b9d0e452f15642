// Reads a command line: finds the command, then reads its flags with meow, whose own exits and messages
// are off: mistakes are thrown as ProductErrors.
import meow, { type AnyFlag } from "meow";
import { parseTimeSpan } from "../../base/duration.ts";
import { packageVersion } from "../../base/package-facts.ts";
import { usageError } from "../errors.ts";
import {
  type Command,
  commandOf,
  commandsBelow,
  commandsOf,
  type Flag,
  type FlagTable,
  findCommand,
  type Program,
  typedFlag,
} from "./definition.ts";
import { commandHelp, groupHelp, programHelp } from "./help-text.ts";
import { checkFlags, checkWords, didYouMean, nearest, unknownCommand } from "./mistakes.ts";
import { splitFlags, type TypedWord, toArguments } from "./typed-words.ts";

export type CommandLine =
  | { kind: "text"; text: string }
  | {
      kind: "run";
      command: Command;
      words: string[];
      flags: Record<string, unknown>;
      /** Words after `--` for another program. */
      passedOn: readonly string[];
    };

/** Flags that every command of every program takes. */
const everywhere: FlagTable = {
  help: { type: "boolean", short: "h", text: "" },
  version: { type: "boolean", text: "" },
};

/** @throws ProductError `COMMAND_USAGE` */
export function readCommandLine(program: Program, argv: readonly string[]): CommandLine {
  // Flags may come before the command, so those of all commands count until it is known.
  const all = { ...everyFlag(program), ...everywhere };
  const [before, behind] = divide(program, argv, all);
  const guessed = splitFlags(before, all);
  const named = wordsOf(before, all);
  const isHelpCommand = named[0] === "help";
  if (isHelpCommand) named.shift();
  const wantsHelp = isHelpCommand || guessed.some((it) => it.kind === "flag" && it.name === "help");
  const group = groupOf(program, named);
  if (group !== undefined && wantsHelp) {
    return { kind: "text", text: parse(program, [], {}, groupHelp(program, group)).help };
  }
  const command = commandOf(program, named);
  if (command === undefined) throw unknownCommand(program, named, group);
  const table = { ...command.flags, ...everywhere };
  const typed = splitFlags(before, table);
  checkFlags(program, command, typed, all);
  const help = command === program.start ? programHelp(program) : commandHelp(program, command);
  const cli = parse(program, typed, table, help);
  if (wantsHelp) return { kind: "text", text: cli.help };
  if (cli.flags.version === true) return { kind: "text", text: `${packageVersion()}\n` };
  const [own, passedOn] = command.passesOn === undefined ? [behind, []] : [[], behind];
  const words = [...cli.input.slice(nameLength(command)), ...own];
  checkWords(program, command, words);
  return { kind: "run", command, words, flags: readFlags(command, cli.flags), passedOn };
}

/** Divides a command line into what is read for flags, and words that are passed on as they are. */
function divide(
  program: Program,
  argv: readonly string[],
  all: FlagTable,
): [before: readonly string[], behind: readonly string[]] {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  const command = commandOf(program, wordsOf(before, all));
  if (command?.passesFlags) {
    const own = nameLength(command) + 1;
    const ends = before.map((_, at) => at + 1);
    const ownEnd = ends.find((at) => wordsOf(argv.slice(0, at), all).length === own);
    // A mark in front of the other command is not part of it.
    if (ownEnd !== undefined && ownEnd !== end) return [argv.slice(0, ownEnd), argv.slice(ownEnd)];
  }
  return [before, end === -1 ? [] : argv.slice(end + 1)];
}

function wordsOf(args: readonly string[], flags: FlagTable): string[] {
  return splitFlags(args, flags).flatMap(({ kind, text }) => (kind === "word" ? [text] : []));
}

/** The only call of meow. */
function parse(program: Program, typed: readonly TypedWord[], table: FlagTable, help: string) {
  return meow({
    importMeta: import.meta,
    // meow makes this the process's title, which `ps` shows.
    pkg: { name: [program.name, ...process.argv.slice(2)].join(" ") },
    description: `${program.name} ${packageVersion()}: ${program.title}`,
    help,
    argv: toArguments(typed),
    flags: Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, meowFlag(flag)])),
    autoHelp: false,
    autoVersion: false,
    // Leaves out flags that were not typed.
    booleanDefault: undefined,
  });
}

function meowFlag({ type, short }: Flag): AnyFlag {
  const shortFlag = short === undefined ? {} : { shortFlag: short };
  if (type === "boolean") return { type, ...shortFlag };
  return type === "strings"
    ? { type: "string", isMultiple: true, ...shortFlag }
    : { type: "string", ...shortFlag };
}

function readFlags({ flags }: Command, parsed: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(flags).flatMap(([name, flag]) => {
    const value = parsed[name];
    // meow returns an empty list for a repeatable flag that was not typed.
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [
      [name, typeof value === "string" ? readFlagValue(typedFlag(name, flag), flag, value) : value],
    ];
  });
  return Object.fromEntries(values);
}

/** Returns the flags of all commands; of two with the same name, the one that takes a value. */
function everyFlag(program: Program): FlagTable {
  const flags = [program.start, ...commandsOf(program)].flatMap((it) => Object.entries(it.flags));
  const isSwitch = ([, { type }]: [string, Flag]) => type === "boolean";
  return Object.fromEntries([...flags.filter(isSwitch), ...flags.filter((it) => !isSwitch(it))]);
}

/** Returns the first word of two-word commands if the second word is unknown or missing. */
function groupOf(program: Program, [first, second]: readonly string[]): string | undefined {
  if (first === undefined || commandsBelow(program, first).length === 0) return undefined;
  return findCommand(program, `${first} ${second}`) === undefined ? first : undefined;
}

function nameLength({ name }: Command): number {
  return name === "" ? 0 : name.split(" ").length;
}

/**
 * Checks and converts the value of a flag.
 *
 * @param typed the flag as typed
 * @throws ProductError `COMMAND_USAGE`
 */
export function readFlagValue(typed: string, flag: Flag, text: string): string | number {
  switch (flag.type) {
    case "integer":
    case "number":
      return readNumber(typed, flag, text);
    case "time":
      return readTime(typed, text);
    default:
      return flag.values === undefined ? text : readChoice(typed, flag, text);
  }
}

function readChoice(typed: string, { values = [], orNumberFrom }: Flag, text: string): string {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const takesNumbers = orNumberFrom !== undefined;
  if (takesNumbers && /^-?\d{1,15}$/.test(text) && Number(text) >= orNumberFrom) return text;
  const choices = takesNumbers ? [...values, `a whole number of at least ${orNumberFrom}`] : values;
  throw usageError(
    `${typed} does not accept '${text}'.`,
    `${didYouMean(nearest(text, values))}Use ${listed(choices)}.`,
  );
}

function readNumber(typed: string, { type, least, most }: Flag, text: string): number {
  const pattern = type === "integer" ? /^-?\d{1,15}$/ : /^-?(?:\d+\.?\d*|\.\d+)$/;
  const value = pattern.test(text) ? Number(text) : Number.NaN;
  if (value >= (least ?? -Infinity) && value <= (most ?? Infinity)) return value;
  const kind = type === "integer" ? "a whole number" : "a number";
  const from =
    least === undefined
      ? ""
      : most === undefined
        ? ` of at least ${least}`
        : ` from ${least} to ${most}`;
  throw usageError(`${typed} does not accept '${text}'.`, `Use ${kind}${from}.`);
}

/** Returns the milliseconds of `30d`, `24h`, `1h30m`, `90s`, or plain seconds. */
function readTime(typed: string, text: string): number {
  const milliseconds = parseTimeSpan(text);
  if (milliseconds !== undefined) return milliseconds;
  throw usageError(
    `${typed} does not accept '${text}'.`,
    "Use a time such as 90s, 15m, 24h or 30d, or a number of seconds.",
  );
}

function listed(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}
