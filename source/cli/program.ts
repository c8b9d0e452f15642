// What reading, help and completion know of a program: its flags, its commands and its names.

export interface FlagDefinition {
  /** `strings` may be given several times. */
  type: "string" | "strings" | "boolean";
  /** What stands for the value in help. */
  value?: string;
  /** Given without a value, it means this one; a value must then follow an equals sign. */
  bare?: string;
  /** How it is typed, where two commands mean different things by one word. */
  typed?: string;
  text: string;
  /** Its values, where they are few; or whose names they are. For completion. */
  values?: readonly string[] | NameKind;
}

export type FlagTable = Readonly<Record<string, FlagDefinition>>;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

type NamesOf<Table extends FlagTable, Type> = {
  [Name in keyof Table & string]: Table[Name]["type"] extends Type ? Name : never;
}[keyof Table & string];

/** Flags as typed; those that were not typed are absent. */
export type FlagsOf<Table extends FlagTable> = {
  [Name in NamesOf<Table, "string"> as CamelCase<Name>]?: string;
} & {
  [Name in NamesOf<Table, "strings"> as CamelCase<Name>]?: string[];
} & {
  [Name in NamesOf<Table, "boolean"> as CamelCase<Name>]?: boolean;
};

/** Things with names of their own, which completion can list. */
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

/** What stands behind a command's name, for completion; a list has the only words there are. */
export type WordKind = NameKind | "own models" | "file" | "none" | readonly string[];

/**
 * @param program the one that the command belongs to, for commands that tell of the others
 * @returns the exit code
 */
export type CommandOf<Table extends FlagTable> = (
  words: string[],
  flags: FlagsOf<Table>,
  program: Program<Table>,
) => Promise<number>;

export interface CommandDefinitionOf<Table extends FlagTable> {
  /** One word, or two of which several commands share the first: `apps list`. */
  name: string;
  aliases?: readonly string[];
  /** The words behind the name, as help shows them. */
  words: string;
  completes: WordKind;
  summary: string;
  flags: readonly (keyof Table & string)[];
  /** For programs: help and completion do not tell of it. */
  isHidden?: boolean;
  /** Letters of this command alone. */
  shorts?: Readonly<Record<string, keyof Table & string>>;
  /** Loaded when it is called: `--version` loads none. */
  load: () => Promise<CommandOf<Table>>;
}

export interface Program<Table extends FlagTable> {
  /** What is typed to start it. */
  name: string;
  /** What it is, for the first line of help. */
  title: string;
  flagTable: Table;
  commands: readonly CommandDefinitionOf<Table>[];
  /** What it does without a command. */
  start: CommandDefinitionOf<Table>;
  /** Flags that every command takes. */
  commonFlags: readonly (keyof Table & string)[];
  /** Help's lines below the commands. */
  notes: string;
}

export function findCommandOf<Table extends FlagTable>(
  { commands }: Program<Table>,
  name: string,
): CommandDefinitionOf<Table> | undefined {
  return commands.find((command) => command.name === name || command.aliases?.includes(name));
}

/** The commands of two words whose first is this one: `apps list`, `apps show`, … */
export function commandsBelow<Table extends FlagTable>(
  { commands }: Program<Table>,
  first: string,
): CommandDefinitionOf<Table>[] {
  return commands.filter(({ name, isHidden }) => name.startsWith(`${first} `) && !isHidden);
}

/** What stands behind the dashes. */
export function typedNameIn(table: FlagTable, name: string): string {
  return table[name]?.typed ?? name;
}

export function camelCase(name: string): string {
  return name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
