// What may stand where a command line's last word is.
import {
  type CommandDefinition,
  commandTable,
  findCommand,
  startCommand,
  type WordKind,
} from "./command-table.ts";
import { completionScripts } from "./completion-scripts.ts";
import { type FlagName, flagDefinition, typedName } from "./flags.ts";

export interface Candidate {
  value: string;
  /** What it is, for shells that show it. */
  text?: string;
}

/** Values that a flag may have, where they are few. */
const flagValues: Partial<Record<FlagName, readonly string[]>> = {
  gpu: ["auto", "cpu", "cuda", "metal", "rocm", "vulkan"],
  store: ["modelctl", "ollama", "built-in"],
  format: ["json"],
};

/**
 * @param words behind `modelctl`; the last one is being typed, and may be empty
 * @param modelNames asked only where a model may stand
 */
export async function candidatesFor(
  words: readonly string[],
  modelNames: () => Promise<readonly string[]>,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const found = await candidates(words.slice(0, -1), typed, modelNames);
  return found.filter(({ value }) => value.toLowerCase().startsWith(typed.toLowerCase()));
}

async function candidates(
  before: readonly string[],
  typed: string,
  modelNames: () => Promise<readonly string[]>,
): Promise<Candidate[]> {
  const command = commandOf(before);
  // `--flag=value`
  const [, joined] = /^--([^=]+)=/.exec(typed) ?? [];
  if (joined !== undefined) {
    return valuesOf(flagOf(command, `--${joined}`)).map((value) => ({
      value: `--${joined}=${value}`,
    }));
  }
  const open = flagOf(command, before.at(-1) ?? "");
  if (open !== undefined && takesWord(open)) {
    if (open === "preload") return await models(modelNames);
    return valuesOf(open).map((value) => ({ value }));
  }
  if (typed.startsWith("-")) return flagsOf(command, before);
  if (command === startCommand) return commands();
  const position = wordsOf(command, before).length - 1;
  return await wordCandidates(command.completes, position, modelNames);
}

function commandOf(before: readonly string[]): CommandDefinition {
  // `help run` is about run.
  const first = before.find((word) => !word.startsWith("-") && word !== "help");
  return (first !== undefined && findCommand(first)) || startCommand;
}

/** The words that are neither flags nor their values; the command is the first. */
function wordsOf(command: CommandDefinition, before: readonly string[]): string[] {
  return before.filter((word, at) => {
    if (word.startsWith("-")) return false;
    const flag = flagOf(command, before[at - 1] ?? "");
    return flag === undefined || !takesWord(flag);
  });
}

function commands(): Candidate[] {
  return commandTable
    .filter(({ isHidden }) => !isHidden)
    .map(({ name, summary }) => ({ value: name, text: summary }));
}

async function wordCandidates(
  kind: WordKind,
  position: number,
  modelNames: () => Promise<readonly string[]>,
): Promise<Candidate[]> {
  if (kind === "models" || (kind === "model" && position === 0)) return await models(modelNames);
  if (kind === "shell" && position === 0) {
    return Object.keys(completionScripts).map((value) => ({ value }));
  }
  return []; // a file, or nothing that could be known
}

/** The usual tag is left out, as people type it. */
async function models(modelNames: () => Promise<readonly string[]>): Promise<Candidate[]> {
  return (await modelNames()).map((name) => ({ value: name.replace(/:latest$/, "") }));
}

function flagsOf(command: CommandDefinition, before: readonly string[]): Candidate[] {
  const given = new Set(before.map((word) => flagOf(command, word)));
  const own = command.flags
    .filter((name) => !given.has(name))
    .map((name) => ({ value: `--${typedName(name)}`, text: flagDefinition(name).text }));
  return [...own, { value: "--help", text: "what the command and its flags do" }];
}

/** The flag that a word is, in its long or its short form. */
function flagOf({ flags, shorts = {} }: CommandDefinition, word: string): FlagName | undefined {
  if (/^-\w$/.test(word)) return shorts[word.slice(1)];
  return flags.find((name) => word === `--${typedName(name)}`);
}

/** Whether the next word is its value. */
function takesWord(name: FlagName): boolean {
  const { type, bare } = flagDefinition(name);
  return type === "string" && bare === undefined;
}

function valuesOf(name: FlagName | undefined): readonly string[] {
  return (name !== undefined && flagValues[name]) || [];
}
