// Jinja's filters: `value | name(arguments)`.

import { TemplateFault } from "../template-fault.ts";
import { formatPercent } from "./format-text.ts";
import { type JsonStyle, jsonText } from "./json-text.ts";
import { listFilters } from "./list-filters.ts";
import { printValue } from "./print-value.ts";
import { lengthOf } from "./sequences.ts";
import { capitalizeText, padText, replaceText, stripText, titleText } from "./text-functions.ts";
import {
  type Arguments,
  type Filter,
  Float,
  isTrue,
  numberOf,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** Makes a filter that converts its input to text. */
function onText(change: (text: string, args: Arguments, run: Run) => Value): Filter {
  return (input, args, run) => {
    const text = printValue(input, run.budget);
    run.budget.text(text.length);
    return change(text, args, run);
  };
}

const byDefault: Filter = (input, args) => {
  const isMissing = input instanceof Undefined || (args.flag(1, "boolean") && !isTrue(input));
  const other = args.get(0, "default_value");
  return isMissing ? (other === undefined ? "" : other) : input;
};

const escapeText: Filter = onText((text, _, run) => {
  const escaped = text.replaceAll(/[&<>'"]/g, (character) => `&#${character.charCodeAt(0)};`);
  run.budget.text(escaped.length);
  return escaped
    .replaceAll("&#38;", "&amp;")
    .replaceAll("&#60;", "&lt;")
    .replaceAll("&#62;", "&gt;");
});

const length: Filter = (input, _, run) => lengthOf(input, run);

const filters: Readonly<Record<string, Filter>> = {
  ...listFilters,
  default: byDefault,
  d: byDefault,
  escape: escapeText,
  e: escapeText,
  forceescape: escapeText,
  safe: (input) => input,
  string: onText((text) => text),
  length,
  count: length,
  upper: onText((text) => text.toUpperCase()),
  lower: onText((text) => text.toLowerCase()),
  capitalize: onText((text, _, run) => capitalizeText(text, run)),
  title: onText((text, _, run) => titleText(text, run)),
  trim: onText((text, args, run) => {
    const characters = args.get(0, "chars") ?? null;
    const set = characters === null ? undefined : printValue(characters, run.budget);
    return stripText(text, set, { start: true, end: true }, run);
  }),
  replace: onText((text, args, run) =>
    replaceText(
      text,
      printValue(args.need(0, "old"), run.budget),
      printValue(args.need(1, "new"), run.budget),
      args.integer(2, "count", -1),
      run,
    ),
  ),
  center: onText((text, args, run) => padText(text, args.integer(0, "width", 80), "both", run)),
  indent: onText(indent),
  truncate: onText((text, args) => {
    const most = args.integer(0, "length", 255);
    const end = args.text(2, "end", "...");
    if (text.length <= most + args.integer(3, "leeway", 5)) return text;
    const cut = text.slice(0, Math.max(0, most - end.length));
    return (args.flag(1, "killwords") ? cut : cut.replace(/ [^ ]*$/, "")) + end;
  }),
  wordcount: onText((text, _, run) => {
    run.budget.slowText(text.length);
    return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
  }),
  striptags: onText((text, _, run) => {
    run.budget.slowText(text.length);
    return text
      .replaceAll(/<[^<>]*>/g, "")
      .replaceAll(/\s+/g, " ")
      .trim();
  }),
  urlencode: onText((text) =>
    encodeURIComponent(text.toWellFormed())
      .replaceAll("%2F", "/")
      .replaceAll(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
  ),
  format: (input, args, run) => {
    if (args.named.size > 0) throw new TemplateFault("`format` takes positional arguments here");
    return formatPercent(printValue(input, run.budget), new Tuple(args.positional), run);
  },
  abs: (input) => {
    const number = wanted(input);
    return input instanceof Float ? new Float(Math.abs(number)) : Math.abs(number);
  },
  int: (input, args) => {
    const number =
      typeof input === "string" ? readNumber(input, args.integer(1, "base", 10)) : numberOf(input);
    const whole = number === undefined ? Number.NaN : Math.trunc(number);
    return Number.isFinite(whole) ? whole : (args.get(0, "default") ?? 0);
  },
  float: (input, args) => {
    const number = typeof input === "string" ? readNumber(input, 10) : numberOf(input);
    return number === undefined ? (args.get(0, "default") ?? new Float(0)) : new Float(number);
  },
  round: (input, args) =>
    new Float(
      round(wanted(input), args.integer(0, "precision", 0), args.text(1, "method", "common")),
    ),
  attr: (input, args, run) => run.attribute(input, args.text(0, "name")),
  tojson: (input, args, run) => jsonText(input, jsonStyle(args, run), run.budget),
};

export const filterTable: ReadonlyMap<string, Filter> = new Map(Object.entries(filters));

function indent(text: string, args: Arguments, run: Run): Value {
  const width = args.get(0, "width") ?? 4;
  const before =
    typeof width === "string" ? width : padText("", args.integer(0, "width", 4), "left", run);
  const blank = args.flag(2, "blank");
  const lines = text.split("\n");
  const added = lines.length * before.length;
  run.budget.text(text.length + added);
  const [first = "", ...others] = lines;
  const indented = others.map((line) => (line === "" && !blank ? line : before + line));
  return [(args.flag(1, "first") ? before : "") + first, ...indented].join("\n");
}

function wanted(input: Value): number {
  refuseUndefined(input);
  const number = numberOf(input);
  if (number === undefined) throw new TemplateFault(`it needs a number, not ${typeName(input)}`);
  return number;
}

function readNumber(text: string, base: number): number | undefined {
  const trimmed = text.trim().replaceAll("_", "");
  if (base !== 10) {
    const digits = trimmed.replace(/^0[xob]/i, "");
    const number = Number.parseInt(digits, base);
    return Number.isNaN(number) ? undefined : number;
  }
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

function round(value: number, precision: number, method: string): number {
  const factor = 10 ** precision;
  if (method === "ceil") return Math.ceil(value * factor) / factor;
  if (method === "floor") return Math.floor(value * factor) / factor;
  if (method !== "common") throw new TemplateFault("`round` supports common, ceil and floor");
  const scaled = value * factor;
  // Rounds halves to even, as Python does.
  const isHalf = Math.abs(scaled % 1) === 0.5;
  return (isHalf ? 2 * Math.round(scaled / 2) : Math.round(scaled)) / factor;
}

function jsonStyle(args: Arguments, run: Run): JsonStyle {
  const indent = args.get(1, "indent") ?? null;
  const separators = args.get(2, "separators") ?? null;
  const [item, key] =
    separators instanceof Tuple ? separators.items : Array.isArray(separators) ? separators : [];
  return {
    ensureAscii: args.flag(0, "ensure_ascii"),
    indent:
      indent === null
        ? undefined
        : typeof indent === "string"
          ? indent
          : padText("", args.integer(1, "indent"), "left", run),
    itemSeparator: typeof item === "string" ? item : indent === null ? ", " : ",",
    keySeparator: typeof key === "string" ? key : ": ",
    sortKeys: args.flag(3, "sort_keys"),
  };
}
