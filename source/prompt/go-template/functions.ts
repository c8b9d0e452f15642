// Functions of templates: Go's own, and those added for chat templates.

import { TemplateFault } from "../template-fault.ts";
import { indexInto, lengthOf, sliceOf } from "./collection-functions.ts";
import { equalsAny, isLess, isLessOrEqual } from "./compare-values.ts";
import { htmlText, jsText, urlQueryText } from "./escape-text.ts";
import { formatText } from "./format-text.ts";
import { jsonText } from "./json-text.ts";
import { displayValues } from "./print-value.ts";
import { TemplateText } from "./template-text.ts";
import { typeScriptType } from "./tool-values.ts";
import { type GoValue, isNil, isTrue, typeName } from "./values.ts";

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
