// Jinja's tests: `value is name(arguments)`.
import { TemplateFault } from "../template-fault.ts";
import { compare, contains, isEqual } from "./operators.ts";
import { printValue } from "./print-value.ts";
import {
  type Arguments,
  Callable,
  Dict,
  Float,
  Namespace,
  numberOf,
  type Run,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

export type Test = (value: Value, args: Arguments, run: Run) => boolean;

const equal: Test = (value, args, run) => isEqual(value, args.need(0, "other"), run);
const unequal: Test = (value, args, run) => !equal(value, args, run);
const comparing =
  (operator: "<" | "<=" | ">" | ">="): Test =>
  (value, args, run) =>
    compare(operator, value, args.need(0, "other"), run);

const tests: Readonly<Record<string, Test>> = {
  defined: (value) => !(value instanceof Undefined),
  undefined: (value) => value instanceof Undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  true: (value) => value === true,
  false: (value) => value === false,
  integer: (value) => typeof value === "number",
  float: (value) => value instanceof Float,
  number: (value) => numberOf(value) !== undefined,
  string: (value) => typeof value === "string",
  mapping: (value) => value instanceof Dict,
  sequence: isIterable,
  iterable: isIterable,
  callable: (value) => value instanceof Callable,
  sameas: (value, args) => value === args.need(0, "other"),
  escaped: () => false,
  lower: (value, _, run) => isInCase(printValue(value, run.budget), "lower"),
  upper: (value, _, run) => isInCase(printValue(value, run.budget), "upper"),
  odd: (value) => Math.abs(wholeNumber(value) % 2) === 1,
  even: (value) => wholeNumber(value) % 2 === 0,
  divisibleby: (value, args) => wholeNumber(value) % args.integer(0, "num") === 0,
  in: (value, args, run) => contains(args.need(0, "seq"), value, run),
  eq: equal,
  equalto: equal,
  "==": equal,
  ne: unequal,
  "!=": unequal,
  lt: comparing("<"),
  lessthan: comparing("<"),
  "<": comparing("<"),
  le: comparing("<="),
  "<=": comparing("<="),
  gt: comparing(">"),
  greaterthan: comparing(">"),
  ">": comparing(">"),
  ge: comparing(">="),
  ">=": comparing(">="),
};

export const testTable: ReadonlyMap<string, Test> = new Map(Object.entries(tests));

function isIterable(value: Value): boolean {
  if (typeof value === "string" || Array.isArray(value)) return true;
  return [Tuple, Namespace, Dict, Undefined].some((kind) => value instanceof kind);
}

function isInCase(text: string, wanted: "lower" | "upper"): boolean {
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  return lower !== upper && text === (wanted === "lower" ? lower : upper);
}

function wholeNumber(value: Value): number {
  const number = numberOf(value);
  if (number === undefined) throw new TemplateFault(`it needs a number, not ${typeName(value)}`);
  return number;
}
