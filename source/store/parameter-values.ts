// Values of parameters: read from a Modelfile's text and from stored JSON, and checked.
import { quoteShort, trimInvisible } from "../base/display-text.ts";
import { isRecord } from "../base/json.ts";
import {
  cacheTypes,
  isCacheType,
  isParameterName,
  isShares,
  isSpecType,
  isSplitMode,
  type ModelParameters,
  type ParameterKind,
  type ParameterName,
  parameterKinds,
  specTypes,
  splitModes,
} from "./model-parameters.ts";

export type ParameterText =
  | { ok: true; value: number | boolean | string }
  /** `problem` completes the sentence "temperature …". */
  | { ok: false; problem: string };

const expectations: Record<ParameterKind, string> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  strings: "a text",
  "cache type": `one of ${cacheTypes.join(", ")}`,
  "split mode": `one of ${splitModes.join(", ")}`,
  "spec type": `one of ${specTypes.join(", ")}`,
  shares: "numbers separated by commas, such as 3,1",
  model: "the name of a model",
};

const readers: Record<ParameterKind, (text: string) => number | boolean | string | undefined> = {
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  number: (text) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  boolean: readBoolean,
  strings: (text) => text,
  "cache type": (text) => (isCacheType(text) ? text : undefined),
  "split mode": (text) => (isSplitMode(text) ? text : undefined),
  "spec type": (text) => (isSpecType(text) ? text : undefined),
  shares: (text) => (isShares(text) ? text : undefined),
  model: (text) => (text === "" ? undefined : text),
};

/** Accepts the forms of Go's ParseBool. */
function readBoolean(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "True", "TRUE"].includes(text)) return true;
  if (["0", "f", "F", "false", "False", "FALSE"].includes(text)) return false;
  return undefined;
}

/** Reads one value as a Modelfile writes it; for `stop`, one of its texts. */
export function readParameterText(name: ParameterName, text: string): ParameterText {
  const { kind } = parameterKinds[name];
  const value = readers[kind](kind === "strings" ? text : trimInvisible(text));
  if (value === undefined) {
    return {
      ok: false,
      problem: `must be ${expectations[kind]}, but is ${text === "" ? "empty" : quoteShort(text)}`,
    };
  }
  const problem = typeof value === "number" ? rangeProblem(name, value, text) : undefined;
  return problem === undefined ? { ok: true, value } : { ok: false, problem };
}

const neverNegative: ReadonlySet<ParameterName> = new Set([
  "num_ctx",
  "n_cpu_moe",
  "temperature",
  "top_k",
  "top_p",
  "min_p",
  "repeat_penalty",
]);

/**
 * Explains why a number is invalid; undefined if it is valid.
 *
 * @param written the original text: a number that is too large changes when it is parsed
 */
export function rangeProblem(
  name: ParameterName,
  value: number,
  written = String(value),
): string | undefined {
  if (!Number.isFinite(value)) return `must be a finite number, but is ${quoteShort(written)}`;
  if (parameterKinds[name].kind === "integer" && !Number.isSafeInteger(value)) {
    const limit =
      value < 0 ? `at least ${Number.MIN_SAFE_INTEGER}` : `at most ${Number.MAX_SAFE_INTEGER}`;
    return `must be a whole number of ${limit}, but is ${quoteShort(written)}`;
  }
  if (name === "reasoning_budget" && value < -1) {
    return `must be -1 (no limit), 0 (no thinking) or a number of tokens, but is ${value}`;
  }
  if (name === "repeat_penalty" && value === 0) return "must be above 0, but is 0";
  if (neverNegative.has(name) && value < 0) return `must not be negative, but is ${value}`;
  return undefined;
}

export interface StoredParameters {
  parameters: ModelParameters;
  /** Unknown names, and values of the wrong kind; kept unchanged. */
  otherValues: Record<string, unknown>;
}

/** @throws Error when it is no JSON object */
export function parseParameters(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error("the parameters are not an object");
  return value;
}

export function sortParameters(raw: Record<string, unknown>): StoredParameters {
  const known: Array<[string, unknown]> = [];
  const otherValues: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const read = isParameterName(name) ? readStored(name, value) : undefined;
    if (read === undefined) otherValues[name] = value;
    else known.push([name, read]);
  }
  // Each value was read by the kind of its name.
  return { parameters: Object.fromEntries(known) as ModelParameters, otherValues };
}

/** Undefined when the value is not of the parameter's kind, or out of range. */
function readStored(name: ParameterName, stored: unknown): unknown {
  const { kind } = parameterKinds[name];
  const value = readJsonValue(kind, kind === "strings" ? [stored].flat() : stored);
  const isInRange = typeof value !== "number" || rangeProblem(name, value) === undefined;
  return isInRange ? value : undefined;
}

/** Undefined when the value is not of the kind. Drops the fraction of an integer, as Ollama does. */
export function readJsonValue(kind: ParameterKind, value: unknown): unknown {
  switch (kind) {
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "strings": {
      const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
      return isList ? value : undefined;
    }
    case "cache type":
      return isCacheType(value) ? value : undefined;
    case "split mode":
      return isSplitMode(value) ? value : undefined;
    case "spec type":
      return isSpecType(value) ? value : undefined;
    case "shares":
      return isShares(value) ? value : undefined;
    case "model":
      return typeof value === "string" && value !== "" ? value : undefined;
    case "number":
      return Number.isFinite(value) ? value : undefined;
    case "integer":
      return Number.isFinite(value) ? Math.trunc(Number(value)) : undefined;
  }
}
