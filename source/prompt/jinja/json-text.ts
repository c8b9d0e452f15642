// Values as Python's json.dumps() writes them: the filter `tojson`.
import type { RenderBudget } from "../render-budget.ts";
import { TemplateFault } from "../template-fault.ts";
import { printFloat, printInteger } from "./print-value.ts";
import { Dict, Float, type Key, Tuple, typeName, Undefined, type Value } from "./values.ts";

export interface JsonStyle {
  /** Indent of a level; undefined writes everything on one line. */
  indent: string | undefined;
  itemSeparator: string;
  keySeparator: string;
  sortKeys: boolean;
  ensureAscii: boolean;
}

/** @throws TemplateFault for a value that JSON cannot represent */
export function jsonText(value: Value, style: JsonStyle, budget: RenderBudget): string {
  const parts: string[] = [];
  const write = (text: string) => {
    budget.text(text.length);
    parts.push(text);
  };
  writeJson(value, style, "\n", write);
  return parts.join("");
}

function writeJson(
  value: Value,
  style: JsonStyle,
  lineBreak: string,
  write: (text: string) => void,
): void {
  if (value === null) write("null");
  else if (typeof value === "boolean") write(String(value));
  else if (typeof value === "number") write(printInteger(value));
  else if (typeof value === "string") write(stringText(value, style));
  else if (value instanceof Float) write(floatText(value.value));
  else if (value instanceof Dict) writeDict(value, style, lineBreak, write);
  else if (Array.isArray(value)) writeList(value, style, lineBreak, write);
  else if (value instanceof Tuple) writeList(value.items, style, lineBreak, write);
  else {
    throw new TemplateFault(
      value instanceof Undefined
        ? `${value.reason}, and cannot be written as JSON`
        : `a ${typeName(value)} cannot be written as JSON`,
    );
  }
}

function writeList(
  items: readonly Value[],
  style: JsonStyle,
  lineBreak: string,
  write: (text: string) => void,
): void {
  writeItems("[", "]", items, style, lineBreak, write, (item, inner) =>
    writeJson(item, style, inner, write),
  );
}

function writeDict(
  { entries }: Dict,
  style: JsonStyle,
  lineBreak: string,
  write: (text: string) => void,
): void {
  const all = [...entries];
  if (style.sortKeys) all.sort(([a], [b]) => (keyText(a) < keyText(b) ? -1 : 1));
  writeItems("{", "}", all, style, lineBreak, write, ([key, item], inner) => {
    write(stringText(keyText(key), style) + style.keySeparator);
    writeJson(item, style, inner, write);
  });
}

function writeItems<T>(
  open: string,
  close: string,
  items: readonly T[],
  { indent, itemSeparator }: JsonStyle,
  lineBreak: string,
  write: (text: string) => void,
  writeItem: (item: T, inner: string) => void,
): void {
  if (items.length === 0) {
    write(open + close);
    return;
  }
  const inner = indent === undefined ? lineBreak : lineBreak + indent;
  write(open);
  for (const [index, item] of items.entries()) {
    if (index > 0) write(itemSeparator);
    if (indent !== undefined) write(inner);
    writeItem(item, inner);
  }
  if (indent !== undefined) write(lineBreak);
  write(close);
}

function keyText(key: Key): string {
  if (typeof key === "string") return key;
  if (typeof key === "number") return Number.isInteger(key) ? printInteger(key) : printFloat(key);
  return key === null ? "null" : String(key);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "Infinity" : "-Infinity";
  return printFloat(value);
}

// Private-use characters stay, since they mark untrusted text.
const beyondAscii = /[\x7f-\ud7ff\ue000-\uffff]|[\u{10000}-\u{effff}\u{100000}-\u{10ffff}]/gu;

function stringText(text: string, { ensureAscii }: JsonStyle): string {
  const json = JSON.stringify(text);
  if (!ensureAscii) return json;
  return json.replaceAll(beyondAscii, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
