// Definitions of programs, commands and flags: the reader, help, completion and docs/cli.md use them.

/** Kinds of names that completion can list. */
export type NameKind =
  | "model"
  /** A model that can be removed. */
  | "own model"
  | "session"
  | "app"
  | "replica"
  | "key"
  | "secret"
  | "profile";

export interface Flag {
  /** `strings` may be repeated; `time` is typed as `90s` or `30d` and read as milliseconds. */
  type: "boolean" | "string" | "strings" | "integer" | "number" | "time";
  text: string;
  /** Name of the value in help: `FILE`. */
  value?: string;
  short?: string;
  /** The only values; upper and lower case are the same. */
  values?: readonly string[];
  /** Values that completion suggests; others are valid too. */
  completes?: readonly string[] | NameKind;
  /** The value of a flag typed without one; other values then follow an equals sign. */
  bare?: string;
  least?: number;
  most?: number;
  /** Typed with `no-` in front: `--no-color` makes `color` false. */
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
      : F extends { values: readonly (infer Value)[] }
        ? Value
        : string;

/** Values of the flags that were typed; the others are absent. */
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
  /** One word, or two if several commands share the first: `apps list`. */
  name: string;
  aliases?: readonly string[];
  /** Words of other tools for the same thing, for "did you mean". */
  synonyms?: readonly string[];
  /** Arguments as help shows them: `NAME` is required, `[NAME]` is not, `NAME…` may be repeated. */
  words: string;
  /** Candidates for the arguments; a plural kind completes each of them, the others the first. */
  completes?: NameKind | "own models" | readonly string[];
  /** A line that begins with a verb. */
  summary: string;
  /** More lines for the command's own page; `%` is the program's name. */
  details?: string;
  flags: FlagTable;
  /** Command lines without the program's name, or with `%` for it. */
  examples: readonly string[];
  /** Exit codes that a script should expect, beside 0 and 2. */
  exitCodes?: Readonly<Record<number, string>>;
  /** A page of docs/ that tells more. */
  docs?: string;
  /** For scripts: neither help nor completion lists it. */
  isHidden?: boolean;
}

/** Flags as the command's code gets them. */
export type CommandFlags<Definition extends CommandDefinition> = FlagsOf<Definition["flags"]>;

/** A command's code; resolves to the exit code. */
export type Run<Definition extends CommandDefinition = CommandDefinition> = (
  words: WordsOf<Definition["words"]>,
  flags: CommandFlags<Definition>,
  program: Program,
) => Promise<number>;

export interface Command extends CommandDefinition {
  load: () => Promise<(words: string[], flags: object, program: Program) => Promise<number>>;
}

export interface Program {
  name: string;
  /** The first line of help. */
  title: string;
  groups: readonly { title: string; commands: readonly Command[] }[];
  /** Runs when no command is named. */
  start: Command;
  /** Flags that every command takes; help lists them apart. */
  commonFlags: FlagTable;
  /** Last lines of help. */
  notes: string;
}

/** Joins a definition with its code, which is loaded when the command runs. */
export function command<const Definition extends CommandDefinition>(
  definition: Definition,
  load: () => Promise<Run<Definition>>,
): Command {
  // The reader checks words and flags against the definition before it calls the code.
  return { ...definition, load: load as Command["load"] };
}

export function commandsOf({ groups }: Program): Command[] {
  return groups.flatMap(({ commands }) => commands);
}

/** Commands that people see, without those for scripts. */
export function visibleCommands(program: Program): Command[] {
  return commandsOf(program).filter(({ isHidden }) => isHidden !== true);
}

export function findCommand(program: Program, name: string): Command | undefined {
  return commandsOf(program).find((it) => it.name === name || it.aliases?.includes(name));
}

/** Commands of two words that share the first: `apps list`, `apps show`, … */
export function commandsBelow(program: Program, first: string): Command[] {
  return visibleCommands(program).filter(({ name }) => name.startsWith(`${first} `));
}

/** A flag as it is typed: `--num-parallel`. */
export function typedFlag(name: string, { isNegated }: Flag): string {
  const dashed = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${isNegated ? "no-" : ""}${dashed}`;
}

/** The usage line of a command: `deployctl apps list [PREFIX]`. */
export function usageOf({ name }: Program, { name: command, words }: CommandDefinition): string {
  return [name, command, words].filter((part) => part !== "").join(" ");
}
