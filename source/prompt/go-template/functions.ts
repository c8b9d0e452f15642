// Functions of templates: Go's own, and those added for chat templates.
import { TemplateFault } from "../template-fault.ts";
import { htmlText, jsText, urlQueryText } from "./escape-text.ts";
import { formatText } from "./format-text.ts";
import { jsonText } from "./json-text.ts";
import { displayValues } from "./print-value.ts";
import { TemplateText } from "./template-text.ts";
import { typeScriptType } from "./tool-values.ts";
import { compareBytes, GoList, GoMap, type GoValue, isNil, isTrue, typeName } from "./values.ts";

/** Context that functions depend on. */
export interface FunctionContext {
  now: Date;
}

interface TemplateFunction {
  readonly least: number;
  readonly most: number;
  readonly call: (args: readonly GoValue[], context: FunctionContext) => GoValue;
}

const any = Number.POSITIVE_INFINITY;

const functions: Record<string, TemplateFunction> = {
  call: define(1, any, (args) => {
    const [value] = args;
    throw new TemplateFault(isNil(value) ? "call of nil" : `${typeName(value)} is not a function`);
  }),
  currentDate: define(0, any, (args, { now }) => dateText(args, now, 0)),
  eq: define(1, any, ([first, ...others]) => equalsAny(first, others)),
  ge: define(2, 2, ([a, b]) => !isLess(a, b)),
  gt: define(2, 2, ([a, b]) => !isLessOrEqual(a, b)),
  html: define(0, any, (args) => htmlText(displayPresent(args))),
  index: define(1, any, ([value, ...indexes]) => indexInto(value, indexes)),
  js: define(0, any, (args) => jsText(displayPresent(args))),
  json: define(1, 1, ([value]) => jsonText(value)),
  le: define(2, 2, ([a, b]) => isLessOrEqual(a, b)),
  len: define(1, 1, ([value]) => lengthOf(value)),
  lt: define(2, 2, ([a, b]) => isLess(a, b)),
  ne: define(2, 2, ([a, b]) => !equalsAny(a, [b])),
  not: define(1, 1, ([value]) => !isTrue(value)),
  print: define(0, any, (args) => displayValues(args)),
  printf: define(1, any, ([format, ...values]) => formatText(textArgument(format), values)),
  println: define(0, any, (args) => {
    const spaced = args.flatMap((value, index) =>
      index === 0 ? [displayValues([value])] : [" ", displayValues([value])],
    );
    return TemplateText.join([...spaced, "\n"]);
  }),
  slice: define(1, any, ([value, ...indexes]) => sliceOf(value, indexes)),
  toTypeScriptType: define(1, 1, ([value]) => typeScriptType(value)),
  urlquery: define(0, any, (args) => urlQueryText(displayPresent(args))),
  yesterdayDate: define(0, any, (args, { now }) => dateText(args, now, -1)),
};

/** Tells functions from other names; the evaluator implements `and` and `or`, which are lazy. */
export function isFunction(name: string): boolean {
  return name === "and" || name === "or" || Object.hasOwn(functions, name);
}

/** @throws TemplateFault for arguments that the function does not accept */
export function callFunction(
  name: string,
  args: readonly GoValue[],
  context: FunctionContext,
): GoValue {
  const found = functions[name];
  if (found === undefined) throw new TemplateFault(`${name} is not a defined function`);
  if (args.length < found.least || args.length > found.most) {
    const wanted = found.most === any ? `at least ${found.least}` : found.least;
    throw new TemplateFault(`wrong number of args for ${name}: want ${wanted} got ${args.length}`);
  }
  try {
    return found.call(args, context);
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw new TemplateFault(`error calling ${name}: ${error.message}`);
  }
}

function define(least: number, most: number, call: TemplateFunction["call"]): TemplateFunction {
  return { least, most, call };
}

function textArgument(value: GoValue): TemplateText {
  if (value instanceof TemplateText) return value;
  throw new TemplateFault(`wrong type for value; expected string; got ${typeName(value)}`);
}

/** Prints values, with nothing for missing ones. */
function displayPresent(values: readonly GoValue[]): TemplateText {
  return displayValues(values.map((value) => (isNil(value) ? TemplateText.empty : value)));
}

/** Returns a date as YYYY-MM-DD; the format that templates may pass is ignored. */
function dateText(formats: readonly GoValue[], now: Date, days: number): TemplateText {
  for (const format of formats) textArgument(format);
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const [year, month, date] = [day.getFullYear(), day.getMonth() + 1, day.getDate()];
  const two = (part: number) => String(part).padStart(2, "0");
  return TemplateText.of(`${String(year).padStart(4, "0")}-${two(month)}-${two(date)}`);
}

/** Returns a length; for a text, in bytes of UTF-8. */
function lengthOf(value: GoValue): bigint {
  if (value instanceof TemplateText) return BigInt(value.byteLength);
  if (value instanceof GoList) return BigInt(value.length);
  if (value instanceof GoMap) return BigInt(value.entries.size);
  throw new TemplateFault(`len of type ${typeName(value)}`);
}

/** Evaluates `index x 1 "a"`, Go's `x[1]["a"]`. */
function indexInto(value: GoValue, indexes: readonly GoValue[]): GoValue {
  if (isNil(value)) throw new TemplateFault("index of untyped nil");
  return indexes.reduce((item, index) => indexOnce(item, index), value);
}

function indexOnce(item: GoValue, index: GoValue): GoValue {
  if (isNil(item)) throw new TemplateFault("index of nil pointer");
  if (item instanceof GoMap) {
    if (!(index instanceof TemplateText)) {
      throw new TemplateFault(`value has type ${typeName(index)}; should be string`);
    }
    return item.entries.get(index.plain) ?? null;
  }
  if (item instanceof GoList) return item.at(positionOf(index, item.length - 1));
  if (item instanceof TemplateText) {
    const at = positionOf(index, item.byteLength - 1);
    return BigInt(Buffer.from(item.plain)[at] ?? 0);
  }
  throw new TemplateFault(`can't index item of type ${typeName(item)}`);
}

/** Evaluates `slice x 1 2`, Go's `x[1:2]`. */
function sliceOf(value: GoValue, indexes: readonly GoValue[]): GoValue {
  if (isNil(value)) throw new TemplateFault("slice of untyped nil");
  if (indexes.length > 3) throw new TemplateFault(`too many slice indexes: ${indexes.length}`);
  if (!(value instanceof TemplateText || value instanceof GoList)) {
    throw new TemplateFault(`can't slice item of type ${typeName(value)}`);
  }
  const isText = value instanceof TemplateText;
  if (isText && indexes.length === 3) throw new TemplateFault("cannot 3-index slice a string");
  const length = isText ? value.byteLength : value.length;
  const [from = 0, to = length, capacity = length] = indexes.map((index) =>
    positionOf(index, length),
  );
  if (from > to) throw new TemplateFault(`invalid slice index: ${from} > ${to}`);
  if (to > capacity) throw new TemplateFault(`invalid slice index: ${to} > ${capacity}`);
  return isText ? value.sliceBytes(from, to) : value.slice(from, to);
}

function positionOf(index: GoValue, last: number): number {
  if (typeof index !== "bigint") {
    throw new TemplateFault(`cannot index slice/array with type ${typeName(index)}`);
  }
  if (index < 0n || index > BigInt(last)) throw new TemplateFault(`index out of range: ${index}`);
  return Number(index);
}

/** Returns true if the first equals one of the others. */
function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
  if (others.length === 0) throw new TemplateFault("missing argument for comparison");
  return others.some((other) => equals(first, other));
}

function equals(a: GoValue, b: GoValue): boolean {
  if (isNil(a) || isNil(b)) return isNil(a) && isNil(b);
  const [basicA, basicB] = [basicValue(a), basicValue(b)];
  if (basicA === undefined && basicB === undefined) {
    throw new TemplateFault(`values of type ${typeName(a)} cannot be compared`);
  }
  if (typeof basicA !== typeof basicB) throw incompatible(a, b);
  return basicA === basicB;
}

function isLess(a: GoValue, b: GoValue): boolean {
  const [basicA, basicB] = [basicValue(a), basicValue(b)];
  if (basicA === undefined || basicB === undefined) {
    throw new TemplateFault("invalid type for comparison");
  }
  if (typeof basicA === "string" && typeof basicB === "string") {
    return compareBytes(basicA, basicB) < 0;
  }
  if (typeof basicA !== typeof basicB) throw incompatible(a, b);
  if (typeof basicA === "boolean") throw new TemplateFault("invalid type for comparison");
  return basicA < basicB;
}

/** Evaluates `le` as Go does: less, or else equal. */
function isLessOrEqual(a: GoValue, b: GoValue): boolean {
  return isLess(a, b) || equals(a, b);
}

/** Returns a value that can be compared; undefined for nil, lists, maps and structs. */
function basicValue(value: GoValue): boolean | bigint | number | string | undefined {
  if (isNil(value)) return undefined;
  if (value instanceof TemplateText) return value.plain;
  return typeof value === "object" ? undefined : value;
}

function incompatible(a: GoValue, b: GoValue): TemplateFault {
  return new TemplateFault(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
}
