// Values as Python's str() and repr() print them.
import type { RenderBudget } from "../render-budget.ts";
import {
  Callable,
  Dict,
  Float,
  type Key,
  Namespace,
  Tuple,
  Undefined,
  type Value,
} from "./values.ts";

/** Python's `str()`. */
export function printValue(value: Value, budget: RenderBudget): string {
  if (typeof value === "string") return value;
  return value instanceof Undefined ? "" : printQuoted(value, budget);
}

/** Python's `repr()`. */
export function printQuoted(value: Value, budget: RenderBudget): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return printInteger(value);
  if (typeof value === "string") return quote(value, budget);
  if (value instanceof Float) return printFloat(value.value);
  if (value instanceof Undefined) return "Undefined";
  if (value instanceof Callable) return `<function ${value.name}>`;
  if (Array.isArray(value)) return joined("[", value, "]", budget);
  if (value instanceof Tuple) {
    return joined("(", value.items, value.items.length === 1 ? ",)" : ")", budget);
  }
  if (value instanceof Dict) return printEntries(value.entries, budget);
  if (value instanceof Namespace) return `<Namespace ${printEntries(value.entries, budget)}>`;
  return "<object>";
}

/** Returns a dictionary's key as its original value. */
export function keyValue(key: Key): Value {
  return typeof key === "number" && !Number.isInteger(key) ? new Float(key) : key;
}

export function printInteger(value: number): string {
  return Number.isFinite(value) && Math.abs(value) >= 1e21
    ? BigInt(value).toString()
    : String(value);
}

/** Prints the shortest digits of a number, with a point or an exponent as Python does. */
export function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [digits = "0", exponentText = "0"] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${digits}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  const text = exponent < -6 ? value.toFixed(20) : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

function joined(
  open: string,
  items: readonly Value[],
  close: string,
  budget: RenderBudget,
): string {
  const texts = items.map((item) => {
    const text = printQuoted(item, budget);
    budget.text(text.length + 2);
    return text;
  });
  return `${open}${texts.join(", ")}${close}`;
}

function printEntries(entries: ReadonlyMap<Key, Value>, budget: RenderBudget): string {
  const texts = [...entries].map(([key, value]) => {
    const text = `${printQuoted(keyValue(key), budget)}: ${printQuoted(value, budget)}`;
    budget.text(text.length + 2);
    return text;
  });
  return `{${texts.join(", ")}}`;
}

const named: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
// Private-use characters stay, since they mark untrusted text.
const unprintable = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function quote(text: string, budget: RenderBudget): string {
  budget.text(text.length + 2);
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll(
    unprintable,
    (character) => named[character] ?? escapeCharacter(character),
  );
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}
