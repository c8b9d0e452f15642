// What may stand where a command line's last word is.
import {
  type CommandDefinitionOf,
  commandsBelow,
  type FlagTable,
  findCommandOf,
  type NameKind,
  type Program,
  typedNameIn,
  type WordKind,
} from "./program.ts";

export interface Candidate {
  value: string;
  /** What it is, for shells that show it. */
  text?: string;
}

/** Asked only where such a name may stand. */
export type NameSource = (kind: NameKind) => Promise<readonly string[]>;

/** @param words behind the program's name; the last one is being typed, and may be empty */
export async function candidatesFor<Table extends FlagTable>(
  program: Program<Table>,
  words: readonly string[],
  names: NameSource,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const found = await candidates(program, words.slice(0, -1), typed, names);
  return found.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

async function candidates<Table extends FlagTable>(
  program: Program<Table>,
  before: readonly string[],
  typed: string,
  names: NameSource,
): Promise<Candidate[]> {
  const command = commandOf(program, before);
  // `--flag=value`
  const [, joined] = /^--([^=]+)=/.exec(typed) ?? [];
  if (joined !== undefined) {
    const flag = flagOf(program, command, `--${joined}`);
    const values = await valuesOf(program, flag, names);
    return values.map(({ value }) => ({ value: `--${joined}=${value}` }));
  }
  const open = flagOf(program, command, before.at(-1) ?? "");
  if (open !== undefined && takesWord(program, open)) return await valuesOf(program, open, names);
  if (typed.startsWith("-")) return flagsOf(program, command, before);
  const plain = plainWords(program, command, before);
  if (command === program.start) return nextWords(program, plain[0]);
  const given = plain.slice(command.name.split(" ").length);
  return await wordCandidates(command.completes, given, names);
}

function commandOf<Table extends FlagTable>(
  program: Program<Table>,
  before: readonly string[],
): CommandDefinitionOf<Table> {
  // `help run` is about run.
  const [first, second] = before.filter((word) => !word.startsWith("-") && word !== "help");
  if (first === undefined) return program.start;
  const two = second === undefined ? undefined : findCommandOf(program, `${first} ${second}`);
  return two ?? findCommandOf(program, first) ?? program.start;
}

/** The words that are neither flags nor their values; the command is the first. */
function plainWords<Table extends FlagTable>(
  program: Program<Table>,
  command: CommandDefinitionOf<Table>,
  before: readonly string[],
): string[] {
  return before.filter((word, at) => {
    if (word.startsWith("-") || word === "help") return false;
    const flag = flagOf(program, command, before[at - 1] ?? "");
    return flag === undefined || !takesWord(program, flag);
  });
}

/** Commands, or the second words of those that begin with `first`. */
function nextWords<Table extends FlagTable>(
  program: Program<Table>,
  first: string | undefined,
): Candidate[] {
  if (first !== undefined) {
    return commandsBelow(program, first).map(({ name, summary }) => ({
      value: name.slice(first.length + 1),
      text: summary,
    }));
  }
  const seen = new Map<string, Candidate>();
  for (const { name, summary, isHidden } of program.commands) {
    const [value = "", second] = name.split(" ");
    if (isHidden || seen.has(value)) continue;
    const text = second === undefined ? summary : commandsBelow(program, value).map(secondWord);
    seen.set(value, { value, text: Array.isArray(text) ? text.join(", ") : text });
  }
  return [...seen.values()];
}

function secondWord({ name }: { name: string }): string {
  return name.split(" ")[1] ?? "";
}

/** @param given words that the command has already */
async function wordCandidates(
  kind: WordKind,
  given: readonly string[],
  names: NameSource,
): Promise<Candidate[]> {
  if (kind === "none" || kind === "file") return []; // nothing that could be known
  if (kind === "own models") {
    const own = await namesOf("own model", names);
    return own.filter(({ value }) => !given.includes(value));
  }
  if (given.length > 0) return [];
  if (typeof kind !== "string") return kind.map((value) => ({ value }));
  return await namesOf(kind, names);
}

/** A model's usual tag is left out, as people type it. */
async function namesOf(kind: NameKind, names: NameSource): Promise<Candidate[]> {
  return (await names(kind)).map((name) => ({ value: name.replace(/:latest$/, "") }));
}

function flagsOf<Table extends FlagTable>(
  program: Program<Table>,
  command: CommandDefinitionOf<Table>,
  before: readonly string[],
): Candidate[] {
  const given = new Set(before.map((word) => flagOf(program, command, word)));
  const own = [...command.flags, ...program.commonFlags]
    .filter((name) => !given.has(name) || program.flagTable[name]?.type === "strings")
    .map((name) => ({
      value: `--${typedNameIn(program.flagTable, name)}`,
      text: program.flagTable[name]?.text ?? "",
    }));
  return [...own, { value: "--help", text: "what the command and its flags do" }];
}

/** The flag that a word is, in its long or its short form. */
function flagOf<Table extends FlagTable>(
  program: Program<Table>,
  { flags, shorts = {} }: CommandDefinitionOf<Table>,
  word: string,
): (keyof Table & string) | undefined {
  if (/^-\w$/.test(word)) return shorts[word.slice(1)];
  return [...flags, ...program.commonFlags].find(
    (name) => word === `--${typedNameIn(program.flagTable, name)}`,
  );
}

/** Whether the next word is its value. */
function takesWord<Table extends FlagTable>(program: Program<Table>, name: keyof Table): boolean {
  const definition = program.flagTable[name];
  return definition?.type !== "boolean" && definition?.bare === undefined;
}

async function valuesOf<Table extends FlagTable>(
  program: Program<Table>,
  name: keyof Table | undefined,
  names: NameSource,
): Promise<Candidate[]> {
  const values = name === undefined ? undefined : program.flagTable[name]?.values;
  if (values === undefined) return [];
  if (typeof values === "string") return await namesOf(values, names);
  return values.map((value) => ({ value }));
}
