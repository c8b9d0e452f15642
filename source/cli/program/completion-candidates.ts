// Completion candidates for the last word of a command line.
import { shownModel } from "../../base/display-text.ts";
import {
  type Command,
  commandOf,
  commandsBelow,
  type FlagTable,
  type NameKind,
  type Program,
  typedFlag,
  visibleCommands,
} from "./definition.ts";
import { secondWord } from "./mistakes.ts";
import { flagNamed, splitFlags, type TypedWord } from "./typed-words.ts";

export interface Candidate {
  value: string;
  /** Description, for shells that show one. */
  text?: string;
}

/**
 * Lists names; called only where such a name is valid.
 *
 * @param given values of the flags before the word, such as the environment
 */
export type NameSource = (
  kind: NameKind,
  given: Readonly<Record<string, string>>,
) => Promise<readonly string[]>;

/** A source with the flags of the command line. */
type KnownNames = (kind: NameKind) => Promise<readonly string[]>;

/** Prints a candidate per line, followed by a tab and its description. */
export async function printCandidates(
  program: Program,
  words: readonly string[],
  names: NameSource,
): Promise<void> {
  const candidates = await candidatesFor(program, words, names);
  process.stdout.write(candidates.map(lineOf).join(""));
}

function lineOf({ value, text }: Candidate): string {
  return text === undefined ? `${value}\n` : `${value}\t${text}\n`;
}

/** @param words after the program's name; the last one is being typed, and may be empty */
export async function candidatesFor(
  program: Program,
  words: readonly string[],
  names: NameSource,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const found = await candidates(program, words.slice(0, -1), typed, names);
  return found.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

async function candidates(
  program: Program,
  before: readonly string[],
  typed: string,
  source: NameSource,
): Promise<Candidate[]> {
  // `help run` completes like run.
  const named = before.filter((word) => !word.startsWith("-") && word !== "help");
  const command = commandOf(program, named) ?? program.start;
  const { flags } = command;
  // Behind it are another program's words.
  if (command.passesOn !== undefined && before.includes("--")) return [];
  const given = splitFlags(before, flags);
  const names = async (kind: NameKind) => await source(kind, valuesIn(given));
  // `--flag=value`
  const [, joined] = /^(--[^=]+)=/.exec(typed) ?? [];
  if (joined !== undefined) {
    const values = await valuesOf(flags, joined, names);
    return values.map(({ value }) => ({ value: `${joined}=${value}` }));
  }
  const last = given.at(-1);
  if (last?.kind === "flag" && last.isApart && last.value === undefined) {
    return await valuesOf(flags, last.typed, names);
  }
  if (typed.startsWith("-")) return flagsOf(flags, before);
  if (command === program.start) {
    const [group, second] = named;
    const below = group === undefined || second !== undefined ? [] : commandsBelow(program, group);
    if (below.length === 0) return firstWords(program);
    return below.map((it) => ({ value: secondWord(it), text: it.summary }));
  }
  const words = given.flatMap(({ kind, text }) =>
    kind === "word" && text !== "help" ? [text] : [],
  );
  return await wordCandidates(command, words.slice(command.name.split(" ").length), names);
}

function valuesIn(given: readonly TypedWord[]): Record<string, string> {
  const values = given.flatMap((word) =>
    word.kind === "flag" && word.name !== undefined && word.value !== undefined
      ? [[word.name, word.value] as const]
      : [],
  );
  return Object.fromEntries(values);
}

/** Returns the first words of all commands, each once. */
function firstWords(program: Program): Candidate[] {
  const seen = new Map<string, Candidate>();
  for (const { name, summary } of visibleCommands(program)) {
    const [value = "", second] = name.split(" ");
    const text =
      second === undefined ? summary : commandsBelow(program, value).map(secondWord).join(", ");
    seen.set(value, { value, text });
  }
  return [...seen.values()];
}

/** @param given earlier words of the command */
async function wordCandidates(
  { completes: kind, completesSecond: second }: Command,
  given: readonly string[],
  names: KnownNames,
): Promise<Candidate[]> {
  if (kind === "own models") {
    const own = await namesOf("own model", names);
    return own.filter(({ value }) => !given.includes(value));
  }
  if (second !== undefined && given.length === 1) return await namesOf(second, names);
  if (kind === undefined || given.length > 0) return [];
  return typeof kind === "string" ? await namesOf(kind, names) : kind.map((value) => ({ value }));
}

/** Leaves out the default tag of models. Completion prints no errors: they mean no names. */
async function namesOf(kind: NameKind, names: KnownNames): Promise<Candidate[]> {
  const found = await names(kind).catch(() => []);
  return found.map((name) => ({ value: shownModel(name) }));
}

/** Returns flags that can be added. */
function flagsOf(flags: FlagTable, before: readonly string[]): Candidate[] {
  const given = new Set(
    splitFlags(before, flags).flatMap((it) => (it.kind === "flag" ? [it.name] : [])),
  );
  const open = Object.entries(flags).filter(
    ([name, { type, isHidden }]) => !isHidden && (type === "strings" || !given.has(name)),
  );
  return [
    ...open.map(([name, flag]) => ({ value: typedFlag(name, flag), text: flag.text })),
    { value: "--help", text: "Show help" },
  ];
}

async function valuesOf(flags: FlagTable, typed: string, names: KnownNames): Promise<Candidate[]> {
  const [, flag] = flagNamed(typed, flags);
  const values = flag?.values ?? flag?.completes;
  if (values === undefined) return [];
  return typeof values === "string"
    ? await namesOf(values, names)
    : values.map((value) => ({ value }));
}
