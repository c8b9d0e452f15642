// Reads the command, its words and its flags from the command line.
import { parseArgs } from "node:util";
import { packageVersion } from "../application/package-facts.ts";
import { type CommandDefinition, findCommand, startCommand } from "./command-table.ts";
import { usageError } from "./errors.ts";
import {
  camelCase,
  type FlagName,
  type Flags,
  flagDefinition,
  flagTable,
  typedName,
} from "./flags.ts";
import { commandHelp, programHelp } from "./help-text.ts";

const allFlags = Object.keys(flagTable) as FlagName[];

export type Arguments =
  | { kind: "text"; text: string }
  | { kind: "run"; command: CommandDefinition; words: string[]; flags: Flags };

/** @throws ProductError `COMMAND_USAGE` for a command or a flag that does not exist or lacks its value */
export function readArguments(argv: string[]): Arguments {
  const title = `modelctl ${packageVersion()}: the terminal home for language models`;
  const first = commandName(argv);
  const isHelp = first === "help";
  // `help run` is `run --help`.
  const args = isHelp ? [...argv.toSpliced(argv.indexOf("help"), 1), "--help"] : argv;
  const name = isHelp ? commandName(args) : first;
  const command = commandOf(name);
  const { words, flags, wants } = readFlags(command, args);
  if (wants === "version") return { kind: "text", text: `${packageVersion()}\n` };
  if (wants === "help") {
    const text = command === startCommand ? programHelp(title) : commandHelp(title, command);
    return { kind: "text", text };
  }
  return { kind: "run", command, words, flags };
}

function commandOf(name: string | undefined): CommandDefinition {
  if (name === undefined) return startCommand;
  const command = findCommand(name);
  if (command === undefined) {
    throw usageError(`There is no command '${name}'.`, "See modelctl --help.");
  }
  return command;
}

/** The first word that is neither a flag nor a flag's value. */
function commandName(argv: string[]): string | undefined {
  // Where one word is two commands' flag, the one that takes a value comes last and counts.
  const byType = allFlags.toSorted((a, b) => flagType(a).localeCompare(flagType(b)));
  const options = Object.fromEntries(
    byType.map((name) => [typedName(name), { type: flagType(name) }]),
  );
  const { tokens } = parseArgs({
    args: joinOptionalValues(argv),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const first = tokens.find(({ kind }) => kind !== "option");
  return first?.kind === "positional" ? first.value : undefined;
}

function readFlags(
  command: CommandDefinition,
  argv: string[],
): { words: string[]; flags: Flags; wants: "help" | "version" | undefined } {
  const hint = `See modelctl ${command.name === "" ? "" : `${command.name} `}--help.`;
  const shorts = Object.entries(command.shorts ?? {});
  const options = Object.fromEntries(
    command.flags.map((name) => {
      const short = shorts.find(([, long]) => long === name)?.[0];
      return [typedName(name), { type: flagType(name), ...(short !== undefined && { short }) }];
    }),
  );
  const flagsByName = new Map(command.flags.map((flag) => [typedName(flag), flag]));
  const { tokens } = parseArgs({
    args: joinOptionalValues(argv),
    options: { ...options, help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const found = new Map<string, string | boolean>();
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (name === "help" || name === "version") {
      found.set(name, true);
      continue;
    }
    const flag = flagsByName.get(name);
    if (flag === undefined) throw unknownFlag(argv, rawName, name, command, hint);
    if (found.has(flag)) throw usageError(`${rawName} is given twice.`, hint);
    if (flagType(flag) === "boolean") {
      if (value !== undefined) throw usageError(`${rawName} takes no value.`, hint);
      found.set(flag, true);
    } else {
      if (value === undefined || value === "") throw usageError(`${rawName} needs a value.`, hint);
      found.set(flag, value);
    }
  }
  const wants = found.has("help") ? "help" : found.has("version") ? "version" : undefined;
  return { words: words.slice(command === startCommand ? 0 : 1), flags: toFlags(found), wants };
}

/** `--think` alone means `--think=true`: it must not swallow the next word. */
function joinOptionalValues(argv: string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const name = word.slice(2);
    if ((end !== -1 && index >= end) || !word.startsWith("--") || !Object.hasOwn(flagTable, name)) {
      return word;
    }
    const { bare } = flagDefinition(name as FlagName);
    return bare === undefined ? word : `${word}=${bare}`;
  });
}

function unknownFlag(
  argv: string[],
  rawName: string,
  name: string,
  command: CommandDefinition,
  hint: string,
) {
  // "-5 + 3" is a prompt that begins like a flag.
  const sentence = argv.find((word) => word.startsWith(rawName) && /\s/.test(word));
  if (sentence !== undefined) {
    return usageError(
      `${JSON.stringify(sentence)} begins like a flag.`,
      `Put -- in front of it: modelctl ${command.name} … -- ${JSON.stringify(sentence)}`,
    );
  }
  if (allFlags.some((flag) => typedName(flag) === name)) {
    return usageError(`modelctl ${command.name} has no flag ${rawName}.`, hint);
  }
  return usageError(`There is no flag ${rawName}.`, hint);
}

function flagType(name: FlagName): "string" | "boolean" {
  return flagTable[name].type;
}

function toFlags(found: ReadonlyMap<string, string | boolean>): Flags {
  const known = [...found].filter(([name]) => Object.hasOwn(flagTable, name));
  return Object.fromEntries(known.map(([name, value]) => [camelCase(name), value]));
}
