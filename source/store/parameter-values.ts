// Reads a parameter's value from text, and explains invalid ones.
import { quoteShort, trimInvisible } from "../base/display-text.ts";
import {
  cacheTypes,
  isCacheType,
  type ParameterKind,
  type ParameterName,
  parameterKinds,
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
};

const readers: Record<ParameterKind, (text: string) => number | boolean | string | undefined> = {
  integer: (text) => (/^[+-]?\d+$/.test(text) ? Number(text) : undefined),
  number: (text) => (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined),
  boolean: readBoolean,
  strings: (text) => text,
  "cache type": (text) => (isCacheType(text) ? text : undefined),
};

/** The forms that Go's ParseBool takes. */
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
  "temperature",
  "top_k",
  "top_p",
  "min_p",
  "repeat_penalty",
]);

/**
 * Why no sampler can work with a number, or undefined where one can.
 *
 * @param written as a person wrote it: a number that is too large is kept as another
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
  if (name === "repeat_penalty" && value === 0) return "must be above 0, but is 0";
  if (neverNegative.has(name) && value < 0) return `must not be negative, but is ${value}`;
  return undefined;
}
