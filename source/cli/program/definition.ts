// Types of programs, commands and flags. Definitions are the source of parsing, help, completion and
// docs/cli.md.

/** Kinds of names that completion can list. */
export type NameKind =
  | "model"
  /** A model that can be removed. */
  | "own model"
  | "session"
  | "tool server"
  | "app"
  | "replica"
  | "key"
  | "secret"
  | "environment"
  | "profile";

export interface Flag {
  /** `strings` may be repeated; `time` is typed as `90s` or `30d` and converted to milliseconds. */
  type: "boolean" | "string" | "strings" | "integer" | "number" | "time";
  text: string;
  /** Name of the value in help: `FILE`; usually `N` for numbers, and `TIME`. */
  value?: string;
  short?: string;
  /** Valid values, ignoring case. */
  values?: readonly string[];
  /** Least whole number that is valid beside the values. */
  orNumberFrom?: number;
  /** Values for completion; others are valid, too. */
  completes?: readonly string[] | NameKind;
  /** Value of a flag typed without one; other values follow an equals sign. */
  bare?: string;
  least?: number;
  most?: number;
  /** Typed with `no-`: `--no-color` makes `color` false. */
  isNegated?: boolean;
  /** Accepted for scripts written for other tools; not in help. */
  isHidden?: boolean;
}

/** Flags by their name in camel case. */
export type FlagTable = Readonly<Record<string, Flag>>;

type ValueOf<F extends Flag> = F["type"] extends "boolean"
  ? boolean
  : F["type"] extends "integer" | "number" | "time"
    ? number
    : F["type"] extends "strings"
      ? string[]
      : F extends { orNumberFrom: number }
        ? string
        : F extends { values: readonly (infer Value)[] }
          ? Value
          : string;

/** Values of typed flags; others are absent. */
export type FlagsOf<Table extends FlagTable> = { [Name in keyof Table]?: ValueOf<Table[Name]> };

type WordOf<Word extends string> = Word extends `[${string}…]`
  ? string[]
  : Word extends `[${string}]`
    ? [string?]
    : Word extends `${string}…`
      ? [string, ...string[]]
      : [string];

/** Arguments that fit a usage such as `APP [REVISION]`. */
export type WordsOf<Usage extends string> = Usage extends ""
  ? []
  : Usage extends `${infer First} ${infer Rest}`
    ? [...WordOf<First>, ...WordsOf<Rest>]
    : WordOf<Usage>;

export interface CommandDefinition {
  /** A word, or two: `apps list`. */
  name: string;
  aliases?: readonly string[];
  /** Names in other tools, for "did you mean". */
  synonyms?: readonly string[];
  /** Arguments as help shows them: `NAME` is required, `[NAME]` is not, `NAME…` may be repeated. */
  words?: string;
  /** Name of the words after `--`, which go to another program as typed: `ARGUMENTS`. */
  passesOn?: string;
  /** Candidates for the first argument; a plural kind completes all of them. */
  completes?: NameKind | "own models" | readonly string[];
  /** Candidates for the second argument. */
  completesSecond?: NameKind;
  /** The words behind the first are another program's command line, with its own flags. */
  passesFlags?: boolean;
  /** Begins with a verb. */
  summary: string;
  /** Further lines for the command's help; `%` is the program's name. */
  details?: string;
  flags?: FlagTable;
  /** Command lines without the program's name, or with `%` for it. */
  examples: readonly string[];
  /** Exit codes besides 0 and 2. */
  exitCodes?: Readonly<Record<number, string>>;
  /** Page in docs/ with more information. */
  docs?: string;
  /** For scripts: not in help and completion. */
  isHidden?: boolean;
}

/** Definitions by the names of the functions that run the commands. */
export type CommandTable = Readonly<Record<string, CommandDefinition>>;

/** Flags for the command's code. */
export type CommandFlags<Definition extends CommandDefinition> = Definition extends {
  flags: infer Table extends FlagTable;
}
  ? FlagsOf<Table>
  : FlagsOf<Record<never, Flag>>;

type CommandWords<Definition extends CommandDefinition> = Definition extends {
  words: infer Usage extends string;
}
  ? WordsOf<Usage>
  : [];

/**
 * Code of a command; resolves to the exit code, or to nothing for success. `passedOn` are the words
 * after `--` of a command that passes them on.
 */
export type Run<Definition extends CommandDefinition> = (
  words: CommandWords<Definition>,
  flags: CommandFlags<Definition>,
  program: Program,
  passedOn: readonly string[],
) => Promise<number> | Promise<void>;

export interface Command extends CommandDefinition {
  words: string;
  flags: FlagTable;
  load: () => Promise<
    (
      words: string[],
      flags: object,
      program: Program,
      passedOn: readonly string[],
    ) => Promise<number> | Promise<void>
  >;
}

export interface Program {
  name: string;
  /** First line of help. */
  title: string;
  groups: readonly { title: string; commands: readonly Command[] }[];
  /** Runs without a command. */
  start: Command;
  /** Flags of every command; help lists them separately. */
  commonFlags: FlagTable;
  /** Last lines of help. */
  notes: string;
}

/** Joins a definition with its code, which is loaded when the command runs. */
export function command<const Definition extends CommandDefinition>(
  definition: Definition,
  load: () => Promise<Run<Definition>>,
): Command {
  // The reader checks words and flags before it calls the code.
  return { words: "", flags: {}, ...definition, load: load as Command["load"] };
}

type Loader<Table extends CommandTable, Name extends keyof Table> = () => Promise<{
  [Each in Name]: Run<Table[Each]>;
}>;

/** Joins a table with its code. @param load imports the module of all commands, or that of each */
export function commands<Table extends CommandTable>(
  table: Table,
  load: Loader<Table, keyof Table> | { [Name in keyof Table]: Loader<Table, Name> },
): Command[] {
  const names = Object.keys(table) as (keyof Table)[];
  return names.map((name) => {
    const loadOne = typeof load === "function" ? load : load[name];
    return command(table[name], async () => (await loadOne())[name]);
  });
}

export function commandsOf({ groups }: Program): Command[] {
  return groups.flatMap(({ commands }) => commands);
}

export function visibleCommands(program: Program): Command[] {
  return commandsOf(program).filter(({ isHidden }) => isHidden !== true);
}

export function findCommand(program: Program, name: string): Command | undefined {
  return commandsOf(program).find((it) => it.name === name || it.aliases?.includes(name));
}

/** Returns the command that words begin with; the program's start for no words. */
export function commandOf(
  program: Program,
  [first, second]: readonly string[],
): Command | undefined {
  if (first === undefined) return program.start;
  return findCommand(program, `${first} ${second}`) ?? findCommand(program, first);
}

/** Returns the commands of a group: `apps list`, `apps show`, … */
export function commandsBelow(program: Program, first: string): Command[] {
  return visibleCommands(program).filter(({ name }) => name.startsWith(`${first} `));
}

/** Returns a flag as typed: `--num-parallel`. */
export function typedFlag(name: string, { isNegated }: Flag): string {
  const dashed = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${isNegated ? "no-" : ""}${dashed}`;
}

/** Returns the usage line of a command: `deployctl apps list [PREFIX]`. */
export function usageOf({ name }: Program, { name: command, words, passesOn }: Command): string {
  const behind = passesOn === undefined ? "" : `[-- ${passesOn}]`;
  return [name, command, words, behind].filter((part) => part !== "").join(" ");
}
