// Methods of Python's str that chat templates call.

import { TemplateFault } from "../template-fault.ts";
import { formatBraces } from "./format-text.ts";
import { itemsOf } from "./sequences.ts";
import {
  capitalizeText,
  countText,
  padText,
  replaceText,
  splitFromEnd,
  splitText,
  stripText,
  titleText,
} from "./text-functions.ts";
import { type Arguments, Callable, type Run, Tuple, typeName, type Value } from "./values.ts";

type Method = (text: string, args: Arguments, run: Run) => Value;

const methods: Readonly<Record<string, Method>> = {
  upper: (text, _, run) => made(text, run).toUpperCase(),
  lower: (text, _, run) => made(text, run).toLowerCase(),
  casefold: (text, _, run) => made(text, run).toLowerCase(),
  title: (text, _, run) => titleText(text, run),
  capitalize: (text, _, run) => capitalizeText(text, run),
  swapcase: (text, _, run) =>
    [...made(text, run)]
      .map((one) => (one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase()))
      .join(""),
  strip: (text, args, run) =>
    stripText(text, firstText(args, "chars"), { start: true, end: true }, run),
  lstrip: (text, args, run) =>
    stripText(text, firstText(args, "chars"), { start: true, end: false }, run),
  rstrip: (text, args, run) =>
    stripText(text, firstText(args, "chars"), { start: false, end: true }, run),
  startswith: (text, args) => affixes(args, "prefix").some((prefix) => text.startsWith(prefix)),
  endswith: (text, args) => affixes(args, "suffix").some((suffix) => text.endsWith(suffix)),
  removeprefix: (text, args) => {
    const prefix = args.text(0, "prefix");
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, args) => {
    const suffix = args.text(0, "suffix");
    return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  },
  split: (text, args, run) =>
    splitText(text, firstText(args, "sep"), args.integer(1, "maxsplit", -1), run),
  rsplit: (text, args, run) => {
    const at = firstText(args, "sep");
    const most = args.integer(1, "maxsplit", -1);
    if (at !== undefined) return splitFromEnd(text, at, most, run);
    const words = splitText(text, undefined, -1, run);
    return most < 0 ? words : splitFromEnd(words.join(" "), " ", most, run);
  },
  splitlines: (text, args, run) => {
    const lines = text.match(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
    run.budget.items(lines.length);
    run.budget.text(text.length);
    return args.flag(0, "keepends")
      ? [...lines]
      : lines.map((line) => line.replace(/[\r\n]+$/, ""));
  },
  partition: (text, args) => {
    const at = text.indexOf(args.text(0, "sep"));
    return parts(text, at, args.text(0, "sep"), [text, "", ""]);
  },
  rpartition: (text, args) => {
    const at = text.lastIndexOf(args.text(0, "sep"));
    return parts(text, at, args.text(0, "sep"), ["", "", text]);
  },
  replace: (text, args, run) =>
    replaceText(text, args.text(0, "old"), args.text(1, "new"), args.integer(2, "count", -1), run),
  join: (text, args, run) => joinTexts(text, itemsOf(args.need(0, "iterable"), run), run),
  find: (text, args, run) => find(made(text, run), args),
  rfind: (text, args) => text.lastIndexOf(args.text(0, "sub")),
  index: (text, args, run) => {
    const at = find(made(text, run), args);
    if (at < 0) throw new TemplateFault("the substring is not in the text");
    return at;
  },
  count: (text, args, run) => countText(text, args.text(0, "sub"), run),
  format: (text, args, run) => formatBraces(text, args, run),
  zfill: (text, args, run) => {
    const sign = /^[-+]/.exec(text)?.[0] ?? "";
    const width = args.integer(0, "width") - sign.length;
    return sign + padText(text.slice(sign.length), width, "left", run, "0");
  },
  ljust: (text, args, run) => padded(text, args, "right", run),
  rjust: (text, args, run) => padded(text, args, "left", run),
  center: (text, args, run) => padded(text, args, "both", run),
  isdigit: (text) => /^\p{Nd}+$/u.test(text),
  isdecimal: (text) => /^\p{Nd}+$/u.test(text),
  isnumeric: (text) => /^\p{N}+$/u.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isspace: (text) => /^\s+$/.test(text),
  isupper: (text) => text === text.toUpperCase() && text !== text.toLowerCase(),
  islower: (text) => text === text.toLowerCase() && text !== text.toUpperCase(),
};

const bound = new Map(Object.entries(methods));

/** Returns the method of that name, or undefined. */
export function textMethod(text: string, name: string): Callable | undefined {
  const method = bound.get(name);
  return method === undefined
    ? undefined
    : new Callable(`str.${name}`, (args, run) => method(text, args, run));
}

function made(text: string, run: Run): string {
  run.budget.text(text.length);
  return text;
}

/** @throws TemplateFault for an item that is not a text */
export function joinTexts(between: string, items: readonly Value[], run: Run): string {
  const texts = items.map((item) => {
    if (typeof item !== "string") {
      throw new TemplateFault(`only texts can be joined, not ${typeName(item)}`);
    }
    run.budget.text(item.length + between.length);
    return item;
  });
  return texts.join(between);
}

/** Returns undefined for none, as for a missing argument. */
function firstText(args: Arguments, name: string): string | undefined {
  return (args.get(0, name) ?? null) === null ? undefined : args.text(0, name);
}

function affixes(args: Arguments, name: string): string[] {
  const value = args.need(0, name);
  const values = value instanceof Tuple ? value.items : [value];
  return values.map((each) => {
    if (typeof each !== "string") {
      throw new TemplateFault(`\`${name}\` is ${typeName(each)}, not a text`);
    }
    return each;
  });
}

function parts(text: string, at: number, between: string, otherwise: string[]): Tuple {
  if (at < 0) return new Tuple(otherwise);
  return new Tuple([text.slice(0, at), between, text.slice(at + between.length)]);
}

function find(text: string, args: Arguments): number {
  const start = args.integer(1, "start", 0);
  const end = args.integer(2, "end", text.length);
  return text.slice(0, end).indexOf(args.text(0, "sub"), start);
}

function padded(text: string, args: Arguments, side: "left" | "right" | "both", run: Run): string {
  return padText(text, args.integer(0, "width"), side, run, args.text(1, "fillchar", " "));
}
