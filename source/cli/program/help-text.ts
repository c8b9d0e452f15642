// Renders help pages for meow, which adds the title.
import { exitCodes } from "../../base/product-error.ts";
import { wrapWords } from "../text-width.ts";
import {
  type Command,
  type CommandDefinition,
  commandsBelow,
  type Flag,
  type FlagTable,
  type Program,
  typedFlag,
  usageOf,
} from "./definition.ts";

type Row = readonly [left: string, right: string];

/** Width of help, and the maximum for its left column. */
const maxColumns = 100;
const maxLeft = 38;

export function programHelp(program: Program): string {
  const { name, groups, start, commonFlags, notes } = program;
  const rowsOf = (commands: readonly Command[]) =>
    commands.flatMap((it): Row[] =>
      it.isHidden ? [] : [[`${it.name} ${it.words}`.trim(), it.summary]],
    );
  // All groups share one column.
  const left = leftWidth(groups.flatMap(({ commands }) => rowsOf(commands)));
  return [
    section("Usage", [
      [name, start.summary],
      [`${name} COMMAND`, "Run a command"],
      [`${name} COMMAND --help`, "Show its flags and examples"],
    ]),
    ...groups.map(({ title, commands }) => section(title, rowsOf(commands), left)),
    section("Flags", [
      ...flagRows(commonFlags),
      ["-h, --help", "Show help"],
      ["-v, --version", "Print the version"],
    ]),
    examplesOf(program, start),
    notes,
  ].join("\n\n");
}

export function groupHelp(program: Program, first: string): string {
  const commands = commandsBelow(program, first);
  return [
    section(
      "Usage",
      commands.map((it) => [usageOf(program, it), it.summary]),
    ),
    `Run \`${program.name} ${first} COMMAND --help\` for flags and examples.`,
  ].join("\n\n");
}

export function commandHelp(program: Program, command: Command): string {
  const { aliases = [], flags, summary, details, docs = "docs/cli.md" } = command;
  const own = Object.entries(flags).filter(([name]) => !Object.hasOwn(program.commonFlags, name));
  const isGlobal = own.length < Object.keys(flags).length;
  return [
    `${summary}.${details === undefined ? "" : `\n\n${programText(program, details)}`}`,
    [
      `Usage\n  ${usageOf(program, command)}${own.length === 0 ? "" : " [FLAGS]"}`,
      ...aliases.map((alias) => `  ${program.name} ${alias}`),
    ].join("\n"),
    ...(own.length === 0 ? [] : [section("Flags", flagRows(Object.fromEntries(own)))]),
    ...(isGlobal ? [section("Global flags", flagRows(program.commonFlags))] : []),
    examplesOf(program, command),
    ...(command.exitCodes === undefined ? [] : [section("Exit codes", exitRows(command))]),
    `Docs: ${docs}`,
  ].join("\n\n");
}

/** Returns the columns of each visible flag. */
export function flagRows(flags: FlagTable): Row[] {
  return Object.entries(flags)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([name, flag]) => [flagUsage(name, flag), flagText(flag)]);
}

const usualValues: Partial<Record<Flag["type"], string>> = {
  integer: "N",
  number: "N",
  time: "TIME",
};

/** Returns the usage of a flag: `-f, --file FILE`. */
function flagUsage(name: string, flag: Flag): string {
  const { type, short, bare, values } = flag;
  const value = flag.value ?? values?.join("|") ?? usualValues[type] ?? "VALUE";
  const typed = typedFlag(name, flag);
  const long =
    type === "boolean" ? typed : bare === undefined ? `${typed} ${value}` : `${typed}[=${value}]`;
  return short === undefined ? long : `-${short}, ${long}`;
}

function flagText({ type, text, values }: Flag): string {
  const isListed = values?.every((word) => text.includes(word)) ?? true;
  const choices = isListed ? "" : `: ${values?.join(", ")}`;
  return `${text}${choices}${type === "strings" ? " (may be repeated)" : ""}`;
}

export function exitRows({ exitCodes: own = {} }: CommandDefinition): Row[] {
  const usual = { [exitCodes.ok]: "Success", [exitCodes.usage]: "Wrong command line" };
  return Object.entries({ ...usual, ...own });
}

function examplesOf(program: Program, { examples }: CommandDefinition): string {
  return `Examples\n${examples.map((line) => `  $ ${exampleText(program, line)}`).join("\n")}`;
}

export function exampleText(program: Program, line: string): string {
  return line.includes("%") ? programText(program, line) : `${program.name} ${line}`.trim();
}

/** Replaces `%` in a text by the program's name. */
export function programText({ name }: Program, text: string): string {
  return text.replaceAll("%", name);
}

function section(title: string, rows: readonly Row[], left = leftWidth(rows)): string {
  const width = maxColumns - left - 6;
  const lines = rows.flatMap(([text, explained]) => {
    const [first = "", ...more] = wrapWords(explained, width);
    const below = more.map((line) => `  ${" ".repeat(left)}  ${line}`);
    // A long usage has its own line.
    if (text.length > left) return [`  ${text}`, `  ${" ".repeat(left)}  ${first}`, ...below];
    return [`  ${text.padEnd(left)}  ${first}`, ...below];
  });
  return [title, ...lines].join("\n");
}

function leftWidth(rows: readonly Row[]): number {
  return Math.min(maxLeft, Math.max(...rows.map(([text]) => text.length)));
}
