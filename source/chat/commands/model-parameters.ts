// Model parameters that can be set in the chat, and their values.

import { nearestName } from "../../base/nearest-name.ts";
import type { ParameterValue } from "../sessions/session.ts";

export type ParsedParameter =
  | {
      readonly isValid: true;
      readonly name: string;
      readonly value: ParameterValue;
      /** The value as shown to the user. */
      readonly valueText: string;
      /** Takes effect when the model is loaded: the next message reloads it. */
      readonly isForLoading: boolean;
    }
  | { readonly isValid: false; readonly sentence: string };

/** The greatest value may be missing. */
type Limits = readonly [minimum: number, maximum?: number];

/** Takes a number, a whole number, one of the choices, a text, or else true or false. */
interface ValueRule {
  readonly number?: Limits;
  readonly whole?: Limits;
  readonly choices?: readonly string[];
  /** Any text that fits. */
  readonly pattern?: { readonly fits: RegExp; readonly takes: string };
  readonly isForLoading?: boolean;
  /** Meaning shown in a form; undefined for a parameter without effect. */
  readonly meaning?: string;
  /** Value if neither the chat nor the model sets one. Defaults to the server's choice. */
  readonly usual?: string;
}

const rules: Readonly<Record<string, ValueRule>> = {
  temperature: { number: [0], meaning: "randomness; 0 picks the likeliest token", usual: "0.8" },
  top_k: { whole: [0], meaning: "sample from the top K tokens; 0: all", usual: "40" },
  top_p: { number: [0, 1], meaning: "sample from this probability mass", usual: "0.9" },
  min_p: { number: [0, 1], meaning: "minimum probability, relative to top", usual: "0" },
  typical_p: { number: [0, 1] },
  seed: { whole: [-1], meaning: "same seed, same answer; -1: random", usual: "random" },
  reasoning_budget: {
    whole: [-1],
    meaning: "max tokens of thinking; 0: none, -1: no limit",
    usual: "no limit",
  },
  num_predict: { whole: [-2], meaning: "max tokens to generate; -1: no limit", usual: "no limit" },
  num_keep: { whole: [-1] },
  repeat_penalty: { number: [0], meaning: "above 1: less repetition", usual: "1" },
  repeat_last_n: { whole: [-1], meaning: "tokens to look back; -1: all", usual: "64" },
  presence_penalty: { number: [-2, 2], meaning: "above 0: avoid tokens already used", usual: "0" },
  frequency_penalty: { number: [-2, 2], meaning: "above 0: avoid frequent tokens", usual: "0" },
  num_ctx: { whole: [0], isForLoading: true, meaning: "context window in tokens" },
  num_batch: { whole: [1], isForLoading: true, meaning: "prompt tokens per batch" },
  num_gpu: { whole: [-1], isForLoading: true, meaning: "layers on the GPU; -1: all that fit" },
  main_gpu: {
    whole: [0],
    isForLoading: true,
    meaning: "GPU of the whole model with split_mode none",
  },
  split_mode: {
    choices: ["layer", "row", "none"],
    isForLoading: true,
    meaning: "how several GPUs share the model",
  },
  tensor_split: {
    pattern: { fits: /^\d+(\.\d+)?(,\d+(\.\d+)?)*$/, takes: "numbers such as 3,1" },
    isForLoading: true,
    meaning: "share of the model for each GPU",
  },
  n_cpu_moe: {
    whole: [0],
    isForLoading: true,
    meaning: "layers whose experts stay in memory",
  },
  num_thread: { whole: [0], isForLoading: true, meaning: "CPU threads" },
  use_mmap: { isForLoading: true, meaning: "memory-map the file" },
  kv_cache_type: {
    choices: ["f16", "q8_0", "q4_0"],
    isForLoading: true,
    meaning: "KV cache data type",
  },
  kv_unified: { isForLoading: true, meaning: "one cache for all parallel requests" },
  draft: {
    pattern: { fits: /./, takes: "the name of a model" },
    isForLoading: true,
    meaning: "small model that drafts the answers",
  },
  spec_type: {
    choices: ["none", "draft-mtp"],
    isForLoading: true,
    meaning: "draft-mtp: the model's MTP heads draft the answers",
  },
  draft_num_predict: {
    whole: [-1],
    isForLoading: true,
    meaning: "most tokens of a draft; 0: none",
  },
};

/** A parameter for a form. */
export interface ParameterFacts {
  readonly name: string;
  readonly meaning: string;
  readonly usual: string | undefined;
  /** The values to choose from; undefined for one that is typed. */
  readonly choices: readonly string[] | undefined;
  /** Describes the allowed values: `a number of at least 0`. */
  readonly takes: string;
  readonly isForLoading: boolean;
}

const stopFacts: ParameterFacts = {
  name: "stop",
  meaning: "texts that end an answer",
  usual: "none",
  choices: undefined,
  takes: 'texts separated by spaces, "two words" in quotes',
  isForLoading: false,
};

/** Parameters with an effect; those that need a reload are last. */
export const parameterFacts: readonly ParameterFacts[] = [
  ...Object.entries(rules).flatMap(([name, rule]): ParameterFacts[] => {
    const { number, whole = number, meaning, usual, isForLoading = false } = rule;
    if (meaning === undefined) return [];
    const isTyped = whole !== undefined || rule.pattern !== undefined;
    const choices = isTyped ? undefined : (rule.choices ?? ["true", "false"]);
    return [{ name, meaning, usual, choices, takes: ruleText(rule), isForLoading }];
  }),
  stopFacts,
].toSorted((a, b) => Number(a.isForLoading) - Number(b.isForLoading));

/** All names, in the order of the help. */
export const parameterNames: readonly string[] = [...Object.keys(rules), "stop"];

/** Reads `NAME VALUE`, or `stop VALUE [VALUE…]`; a value in double quotes may hold blanks. */
export function parseParameter(argument: string): ParsedParameter {
  const [name, ...values] = splitWords(argument);
  if (name === undefined) return invalid(`missing name. Use ${parameterNames.join(", ")}`);
  if (name === "stop") return parseStop(values);
  // A plain lookup would also find inherited names such as "constructor".
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) {
    const nearest = nearestName(name, parameterNames);
    const hint = nearest === undefined ? `Use ${parameterNames.join(", ")}` : `Use ${nearest}`;
    return invalid(`unknown parameter '${name}'. ${hint}`);
  }
  const [text] = values;
  if (text === undefined) return invalid(`${name} needs a value: ${ruleText(rule)}`);
  if (values.length > 1) return invalid(`${name} takes one value, not ${values.length}`);
  const value = readValue(text, rule);
  if (value === undefined) return invalid(`${name} must be ${ruleText(rule)}, not '${text}'`);
  const { isForLoading = false } = rule;
  return { isValid: true, name, value, valueText: String(value), isForLoading };
}

/** A line for each parameter; a sentence when none is set. */
export function formatParameters(parameters: Readonly<Record<string, ParameterValue>>): string {
  const lines = Object.entries(parameters).map(([name, value]) => `${name} ${valueText(value)}`);
  return lines.length === 0 ? "the model's own" : lines.join("\n");
}

/** The value as `/set parameter` takes it. */
export function valueText(value: ParameterValue): string {
  if (typeof value !== "object") return String(value);
  return value.map((stop) => JSON.stringify(stop)).join(" ");
}

function parseStop(values: readonly string[]): ParsedParameter {
  if (values.length === 0) return invalid("stop needs at least one text");
  if (values.some((value) => value === "")) return invalid("stop cannot contain an empty text");
  const valueText = values.join("', '");
  return { isValid: true, name: "stop", value: [...values], valueText, isForLoading: false };
}

function readValue(text: string, rule: ValueRule): number | boolean | string | undefined {
  const { number, whole, choices, pattern } = rule;
  if (number !== undefined) return numberValue(text, number);
  if (whole !== undefined) {
    const value = numberValue(text, whole);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  if (pattern !== undefined) return pattern.fits.test(text) ? text : undefined;
  return choices === undefined
    ? switchValue(text)
    : choices.find((choice) => choice === text.toLowerCase());
}

function switchValue(text: string): boolean | undefined {
  if (/^(?:true|on|yes|1)$/i.test(text)) return true;
  return /^(?:false|off|no|0)$/i.test(text) ? false : undefined;
}

function numberValue(text: string, [minimum, maximum = Infinity]: Limits): number | undefined {
  const value = Number(text);
  const isNumber = text.trim() !== "" && Number.isFinite(value);
  return isNumber && value >= minimum && value <= maximum ? value : undefined;
}

function ruleText({ number, whole = number, choices, pattern }: ValueRule): string {
  if (pattern !== undefined) return pattern.takes;
  if (whole === undefined) {
    return choices === undefined ? "true or false" : `one of ${choices.join(", ")}`;
  }
  const [minimum, maximum] = whole;
  const kind = number === undefined ? "whole number" : "number";
  return maximum === undefined
    ? `a ${kind} of at least ${minimum}`
    : `a ${kind} from ${minimum} to ${maximum}`;
}

/** Splits at blanks outside double quotes, in which `\n` is a line break. */
function splitWords(text: string): string[] {
  const words = text.matchAll(/"((?:\\.|[^"\\])*)"|\S+/g);
  return Array.from(words, ([word, quoted]) =>
    quoted === undefined ? word : withoutEscapes(quoted),
  );
}

function withoutEscapes(quoted: string): string {
  return quoted.replace(/\\(.)/g, (_, character: string) => {
    if (character === "n") return "\n";
    return character === "t" ? "\t" : character;
  });
}

function invalid(sentence: string): ParsedParameter {
  return { isValid: false, sentence: `Couldn't set parameter: ${sentence}` };
}
