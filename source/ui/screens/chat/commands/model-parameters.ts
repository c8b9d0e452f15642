// The parameters that a person may set in the chat, and what values they take.

export type ParameterValue = number | boolean | string | readonly string[];

export type ParsedParameter =
  | {
      readonly isValid: true;
      readonly name: string;
      readonly value: ParameterValue;
      /** The value as it is repeated to the person. */
      readonly valueText: string;
      /** It takes effect when the model is loaded: the next message loads it again. */
      readonly isForLoading: boolean;
    }
  | { readonly isValid: false; readonly sentence: string };

interface ValueRule {
  readonly kind: "number" | "whole number" | "switch" | "choice";
  /** Only of a choice. */
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isForLoading?: boolean;
}

const rules: Readonly<Record<string, ValueRule>> = {
  temperature: { kind: "number", minimum: 0 },
  top_k: { kind: "whole number", minimum: 0 },
  top_p: { kind: "number", minimum: 0, maximum: 1 },
  min_p: { kind: "number", minimum: 0, maximum: 1 },
  typical_p: { kind: "number", minimum: 0, maximum: 1 },
  seed: { kind: "whole number", minimum: -1 },
  num_predict: { kind: "whole number", minimum: -2 },
  num_keep: { kind: "whole number", minimum: -1 },
  repeat_penalty: { kind: "number", minimum: 0 },
  repeat_last_n: { kind: "whole number", minimum: -1 },
  presence_penalty: { kind: "number", minimum: -2, maximum: 2 },
  frequency_penalty: { kind: "number", minimum: -2, maximum: 2 },
  num_ctx: { kind: "whole number", minimum: 0, isForLoading: true },
  num_batch: { kind: "whole number", minimum: 1, isForLoading: true },
  num_gpu: { kind: "whole number", minimum: -1, isForLoading: true },
  main_gpu: { kind: "whole number", minimum: 0, isForLoading: true },
  num_thread: { kind: "whole number", minimum: 0, isForLoading: true },
  use_mmap: { kind: "switch", isForLoading: true },
  kv_cache_type: { kind: "choice", choices: ["f16", "q8_0", "q4_0"], isForLoading: true },
  draft_num_predict: { kind: "whole number", minimum: 0, isForLoading: true },
};

/** All names, in the order of the help. */
export const parameterNames: readonly string[] = [...Object.keys(rules), "stop"];

/** Reads `NAME VALUE`, or `stop VALUE [VALUE…]`; a value in double quotes may hold blanks. */
export function parseParameter(argument: string): ParsedParameter {
  const [name, ...values] = splitWords(argument);
  if (name === undefined) return invalid(`Which one? ${parameterNames.join(", ")}`);
  if (name === "stop") return parseStop(values);
  // A table lookup would also find what every object inherits, such as "constructor".
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) {
    return invalid(`There is no parameter '${name}'. Known: ${parameterNames.join(", ")}`);
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
  const lines = Object.entries(parameters).map(([name, value]) => {
    const text = typeof value === "object" ? value.map((stop) => JSON.stringify(stop)) : [value];
    return `${name} ${text.join(" ")}`;
  });
  return lines.length === 0 ? "the model's own" : lines.join("\n");
}

function parseStop(values: readonly string[]): ParsedParameter {
  if (values.length === 0) return invalid("stop needs at least one text to stop at");
  if (values.some((value) => value === "")) return invalid("stop cannot hold an empty text");
  const valueText = values.join("', '");
  return { isValid: true, name: "stop", value: [...values], valueText, isForLoading: false };
}

function readValue(text: string, rule: ValueRule): number | boolean | string | undefined {
  if (rule.kind === "switch") return switchValue(text);
  if (rule.kind === "choice") return rule.choices?.find((choice) => choice === text.toLowerCase());
  return numberValue(text, rule);
}

function switchValue(text: string): boolean | undefined {
  if (/^(?:true|on|yes|1)$/i.test(text)) return true;
  return /^(?:false|off|no|0)$/i.test(text) ? false : undefined;
}

function numberValue(text: string, { kind, minimum, maximum }: ValueRule): number | undefined {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return undefined;
  if (kind === "whole number" && !Number.isSafeInteger(value)) return undefined;
  const isWithin = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  return isWithin ? value : undefined;
}

function ruleText({ kind, minimum, maximum, choices = [] }: ValueRule): string {
  if (kind === "switch") return "true or false";
  if (kind === "choice") return `one of ${choices.join(", ")}`;
  if (minimum !== undefined && maximum !== undefined) return `a ${kind} ${minimum} to ${maximum}`;
  return minimum === undefined ? `a ${kind}` : `a ${kind} of at least ${minimum}`;
}

/** Words between blanks; double quotes hold a word together and `\n` in them is a line break. */
function splitWords(text: string): string[] {
  const words: string[] = [];
  for (const match of text.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)) {
    const quoted = match[1];
    words.push(quoted === undefined ? (match[2] ?? "") : withoutEscapes(quoted));
  }
  return words;
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
