// Reads the command, its words and its flags from the command line.
import { parseArgs } from "node:util";
import { packageVersion } from "../application/package-facts.ts";
import { nearestName } from "../base/nearest-name.ts";
import { usageError } from "./errors.ts";
import { commandHelp, groupHelp, programHelp } from "./help-text.ts";
import {
  type CommandDefinitionOf,
  camelCase,
  commandsBelow,
  type FlagDefinition,
  type FlagsOf,
  type FlagTable,
  findCommandOf,
  type Program,
  typedNameIn,
} from "./program.ts";

export type Arguments<Table extends FlagTable> =
  | { kind: "text"; text: string }
  | {
      kind: "run";
      command: CommandDefinitionOf<Table>;
      words: string[];
      flags: FlagsOf<Table>;
    };

type Found = Map<string, string | string[] | true>;

/** @throws ProductError `COMMAND_USAGE` for a command or a flag that does not exist or lacks its value */
export function readArguments<Table extends FlagTable>(
  program: Program<Table>,
  argv: string[],
): Arguments<Table> {
  const title = `${program.name} ${packageVersion()}: ${program.title}`;
  const [first] = commandWords(program, argv);
  const isHelp = first === "help";
  // `help run` is `run --help`.
  const args = isHelp ? [...argv.toSpliced(argv.indexOf("help"), 1), "--help"] : argv;
  const named = isHelp ? commandWords(program, args) : commandWords(program, argv);
  const group = groupOf(program, named);
  if (group !== undefined && args.some((word) => word === "--help" || word === "-h")) {
    return { kind: "text", text: groupHelp(program, title, group) };
  }
  const command = commandOf(program, named, group);
  const { words, flags, wants } = readFlags(program, command, args);
  if (wants === "version") return { kind: "text", text: `${packageVersion()}\n` };
  if (wants === "help") {
    const isStart = command === program.start;
    const text = isStart ? programHelp(program, title) : commandHelp(program, title, command);
    return { kind: "text", text };
  }
  return { kind: "run", command, words, flags };
}

/** The first word, where commands of two words begin with it and the second is none of theirs. */
function groupOf<Table extends FlagTable>(
  program: Program<Table>,
  [first, second]: readonly string[],
): string | undefined {
  if (first === undefined || commandsBelow(program, first).length === 0) return undefined;
  return findCommandOf(program, `${first} ${second}`) === undefined ? first : undefined;
}

function commandOf<Table extends FlagTable>(
  program: Program<Table>,
  [first, second]: readonly string[],
  group: string | undefined,
): CommandDefinitionOf<Table> {
  if (first === undefined) return program.start;
  const command = findCommandOf(program, `${first} ${second}`) ?? findCommandOf(program, first);
  if (command !== undefined) return command;
  if (group !== undefined) {
    const seconds = commandsBelow(program, group).map(({ name }) => name.split(" ")[1]);
    const hint = `It knows ${seconds.join(", ")}.`;
    if (second === undefined) throw usageError(`${program.name} ${group} needs a word more.`, hint);
    throw usageError(`${program.name} ${group} has no '${second}'.`, hint);
  }
  const names = program.commands
    .filter(({ isHidden }) => isHidden !== true)
    .flatMap(({ name, aliases = [] }) => [name.replace(/ .*/, ""), ...aliases]);
  const hint = `${didYouMean(nearestName(first, names))}See ${program.name} --help.`;
  throw usageError(`There is no command '${first}'.`, hint);
}

function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? "" : `Did you mean ${nearest}? `;
}

/** The first two words that are neither flags nor flags' values. */
function commandWords<Table extends FlagTable>(program: Program<Table>, argv: string[]): string[] {
  const { flagTable } = program;
  // Where one word is two commands' flag, the one that takes a value comes last and counts.
  const byType = Object.entries(flagTable).toSorted(([, a], [, b]) =>
    optionType(a).localeCompare(optionType(b)),
  );
  const options = Object.fromEntries(
    byType.map(([name, definition]) => [
      typedNameIn(flagTable, name),
      { type: optionType(definition) },
    ]),
  );
  const { tokens } = parseArgs({
    args: joinOptionalValues(flagTable, argv),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  for (const token of tokens) {
    // What stands behind -- names no command.
    if (token.kind === "option-terminator") break;
    if (token.kind === "positional") words.push(token.value);
  }
  return words.slice(0, 2);
}

function readFlags<Table extends FlagTable>(
  program: Program<Table>,
  command: CommandDefinitionOf<Table>,
  argv: string[],
): { words: string[]; flags: FlagsOf<Table>; wants: "help" | "version" | undefined } {
  const { flagTable } = program;
  const commandText = command.name === "" ? "" : `${command.name} `;
  const hint = `See ${program.name} ${commandText}--help.`;
  const shorts = Object.entries(command.shorts ?? {});
  const flagNames = [...command.flags, ...program.commonFlags];
  const options = Object.fromEntries(
    flagNames.map((name) => {
      const short = shorts.find(([, long]) => long === name)?.[0];
      const type = optionType(flagTable[name]);
      return [typedNameIn(flagTable, name), { type, ...(short !== undefined && { short }) }];
    }),
  );
  const flagsByName = new Map(flagNames.map((flag) => [typedNameIn(flagTable, flag), flag]));
  const { tokens } = parseArgs({
    args: joinOptionalValues(flagTable, argv),
    options: { ...options, help: { type: "boolean", short: "h" }, version: { type: "boolean" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const found: Found = new Map();
  let wants: "help" | "version" | undefined;
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value } = token;
    if (name === "help" || name === "version") {
      wants = name === "help" ? "help" : (wants ?? "version");
      continue;
    }
    const flag = flagsByName.get(name);
    if (flag === undefined) throw unknownFlag(program, argv, rawName, name, command, hint);
    const type = flagTable[flag]?.type;
    if (type === "boolean" && value !== undefined) {
      throw usageError(`${rawName} takes no value.`, hint);
    }
    if (type !== "boolean" && !value) throw usageError(`${rawName} needs a value.`, hint);
    // `--model --json`: the value was forgotten, and the next flag stands in its place.
    if (token.inlineValue === false && /^--[a-z]/.test(value ?? "")) {
      throw usageError(
        `${rawName} needs a value, and ${value} looks like another flag.`,
        `If it is meant, write ${rawName}=${value}.`,
      );
    }
    const before = found.get(flag);
    if (type === "strings")
      found.set(flag, [...(Array.isArray(before) ? before : []), value ?? ""]);
    else if (before !== undefined) throw usageError(`${rawName} is given twice.`, hint);
    else found.set(flag, value ?? true);
  }
  const nameWords = command.name === "" ? 0 : command.name.split(" ").length;
  return { words: words.slice(nameWords), flags: toFlags<Table>(found), wants };
}

/** `--think` alone means `--think=true`: it must not swallow the next word. */
function joinOptionalValues(table: FlagTable, argv: string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const name = word.slice(2);
    if ((end !== -1 && index >= end) || !word.startsWith("--") || !Object.hasOwn(table, name)) {
      return word;
    }
    const bare = table[name]?.bare;
    return bare === undefined ? word : `${word}=${bare}`;
  });
}

function unknownFlag<Table extends FlagTable>(
  program: Program<Table>,
  argv: string[],
  rawName: string,
  name: string,
  command: CommandDefinitionOf<Table>,
  hint: string,
) {
  const called = [program.name, command.name].filter((part) => part !== "").join(" ");
  // "-5 + 3" is a prompt that begins like a flag.
  const sentence = argv.find((word) => word.startsWith(rawName) && /\s/.test(word));
  if (sentence !== undefined) {
    return usageError(
      `${JSON.stringify(sentence)} begins like a flag.`,
      `Put -- in front of it: ${called} … -- ${JSON.stringify(sentence)}`,
    );
  }
  const isAnothers = Object.keys(program.flagTable).some(
    (flag) => typedNameIn(program.flagTable, flag) === name,
  );
  if (isAnothers) return usageError(`${called} has no flag ${rawName}.`, hint);
  const own = [...command.flags, ...program.commonFlags].map(
    (flag) => `--${typedNameIn(program.flagTable, flag)}`,
  );
  const nearest = name.length > 1 ? nearestName(`--${name}`, own) : undefined;
  return usageError(`There is no flag ${rawName}.`, `${didYouMean(nearest)}${hint}`);
}

function optionType(definition: FlagDefinition | undefined): "string" | "boolean" {
  return definition?.type === "boolean" ? "boolean" : "string";
}

function toFlags<Table extends FlagTable>(found: Found): FlagsOf<Table> {
  // Only flags of the table were put in, each with a value of its type.
  return Object.fromEntries(
    [...found].map(([name, value]) => [camelCase(name), value]),
  ) as FlagsOf<Table>;
}
