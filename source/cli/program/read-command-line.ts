// Reads a command line: finds the command, then has meow read its flags. No other file imports meow,
// whose own exits and messages are off: mistakes are thrown as ProductErrors.
import meow, { type AnyFlag } from "meow";
import { packageVersion } from "../../application/package-facts.ts";
import {
  type Command,
  commandsBelow,
  commandsOf,
  type Flag,
  type FlagTable,
  findCommand,
  type Program,
  typedFlag,
} from "./definition.ts";
import { readFlagValue } from "./flag-value.ts";
import { commandHelp, groupHelp, programHelp } from "./help-text.ts";
import { checkFlags, checkWords, unknownCommand } from "./mistakes.ts";
import { splitFlags, type TypedWord, toArguments } from "./typed-words.ts";

export type CommandLine =
  | { kind: "text"; text: string }
  | { kind: "run"; command: Command; words: string[]; flags: Record<string, unknown> };

/** Flags that every command of every program takes. */
const everywhere: FlagTable = {
  help: { type: "boolean", short: "h", text: "" },
  version: { type: "boolean", text: "" },
};

/** @throws ProductError `COMMAND_USAGE` */
export function readCommandLine(program: Program, argv: readonly string[]): CommandLine {
  const end = argv.indexOf("--");
  const before = end === -1 ? argv : argv.slice(0, end);
  // Flags may come before the command, so those of all commands count until it is known.
  const all = { ...everyFlag(program), ...everywhere };
  const guessed = splitFlags(before, all);
  const named = guessed.flatMap(({ kind, text }) => (kind === "word" ? [text] : []));
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
  const behind = end === -1 ? [] : argv.slice(end + 1);
  const words = [...cli.input.slice(nameLength(command)), ...behind];
  checkWords(program, command, words);
  return { kind: "run", command, words, flags: readFlags(command, cli.flags) };
}

/** The only call of meow. */
function parse(program: Program, typed: readonly TypedWord[], table: FlagTable, help: string) {
  return meow({
    importMeta: import.meta,
    // meow makes this name the process's title: keeps the whole command visible in `ps`.
    pkg: { name: [program.name, ...process.argv.slice(2)].join(" ") },
    description: `${program.name} ${packageVersion()}: ${program.title}`,
    help,
    argv: toArguments(typed),
    flags: Object.fromEntries(Object.entries(table).map(([name, flag]) => [name, meowFlag(flag)])),
    autoHelp: false,
    autoVersion: false,
    // Flags that were not typed are absent.
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

/** Values as their flags say; those that were not typed stay absent. */
function readFlags({ flags }: Command, parsed: Record<string, unknown>): Record<string, unknown> {
  const values = Object.entries(flags).flatMap(([name, flag]) => {
    const value = parsed[name];
    // meow has an empty list for a flag that may be repeated and was not typed.
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return [];
    return [
      [name, typeof value === "string" ? readFlagValue(typedFlag(name, flag), flag, value) : value],
    ];
  });
  return Object.fromEntries(values);
}

/** Where two commands mean different flags by one name, the one that takes a value counts. */
function everyFlag(program: Program): FlagTable {
  const flags = [program.start, ...commandsOf(program)].flatMap((it) => Object.entries(it.flags));
  const isSwitch = ([, { type }]: [string, Flag]) => type === "boolean";
  return Object.fromEntries([...flags.filter(isSwitch), ...flags.filter((it) => !isSwitch(it))]);
}

/** Returns the first word of two-word commands if the second word is none of theirs. */
function groupOf(program: Program, [first, second]: readonly string[]): string | undefined {
  if (first === undefined || commandsBelow(program, first).length === 0) return undefined;
  return findCommand(program, `${first} ${second}`) === undefined ? first : undefined;
}

function commandOf(program: Program, [first, second]: readonly string[]): Command | undefined {
  if (first === undefined) return program.start;
  return findCommand(program, `${first} ${second}`) ?? findCommand(program, first);
}

function nameLength({ name }: Command): number {
  return name === "" ? 0 : name.split(" ").length;
}
