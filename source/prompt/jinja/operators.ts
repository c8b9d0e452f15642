// Python's operators on a template's values.
import { TemplateFault } from "../template-fault.ts";
import { formatPercent } from "./format-text.ts";
import type { BinaryOperator, CompareOperator } from "./syntax-tree.ts";
import type { Run } from "./values.ts";
import {
  Dict,
  Float,
  keyOf,
  Namespace,
  numberOf,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** @throws TemplateFault for types that the operator does not support */
export function binary(operator: BinaryOperator, left: Value, right: Value, run: Run): Value {
  if (operator === "+") {
    if (typeof left === "string" && isMissing(right)) return left;
    if (typeof right === "string" && isMissing(left)) return right;
  }
  refuseUndefined(left);
  refuseUndefined(right);
  if (operator === "%" && typeof left === "string") return formatPercent(left, right, run);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) {
    return arithmetic(operator, a, b, left instanceof Float || right instanceof Float);
  }
  if (operator === "+") {
    const sum = add(left, right, run);
    if (sum !== undefined) return sum;
  }
  if (operator === "*") {
    if (typeof right === "number") return repeat(left, right, run);
    if (typeof left === "number") return repeat(right, left, run);
  }
  throw new TemplateFault(
    `\`${operator}\` is not supported between ${typeName(left)} and ${typeName(right)}`,
  );
}

/** More lenient than Jinja2, as llama.cpp is: a missing value adds nothing to a text. */
function isMissing(value: Value): boolean {
  return value === null || value instanceof Undefined;
}

function arithmetic(operator: BinaryOperator, a: number, b: number, isFloat: boolean): Value {
  const typed = (value: number) => (isFloat ? new Float(value) : value);
  switch (operator) {
    case "+":
      return typed(a + b);
    case "-":
      return typed(a - b);
    case "*":
      return typed(a * b);
    case "**":
      return isFloat || b < 0 ? new Float(a ** b) : a ** b;
    case "/":
      refuseZero(b);
      return new Float(a / b);
    case "//":
      refuseZero(b);
      return typed(Math.floor(a / b));
    case "%":
      refuseZero(b);
      return typed(a - b * Math.floor(a / b));
  }
}

function refuseZero(divisor: number): void {
  if (divisor === 0) throw new TemplateFault("division by zero");
}

function add(left: Value, right: Value, run: Run): Value | undefined {
  if (typeof left === "string" && typeof right === "string") return concat(left, right, run);
  if (Array.isArray(left) && Array.isArray(right)) {
    run.budget.items(left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    run.budget.items(left.items.length + right.items.length);
    return new Tuple([...left.items, ...right.items]);
  }
  return undefined;
}

/** Longest text; joined texts share their parts, so joining costs only the shorter one. */
const longestText = 1 << 26;

export function concat(left: string, right: string, run: Run): string {
  run.budget.text(Math.min(left.length, right.length));
  if (left.length + right.length > longestText) {
    throw new TemplateFault(`it creates a text of more than ${longestText} characters`);
  }
  return left + right;
}

function repeat(value: Value, times: number, run: Run): Value {
  const count = Math.max(0, times);
  if (typeof value === "string") {
    run.budget.text(value.length * count);
    return value.repeat(count);
  }
  const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined;
  if (items === undefined) {
    throw new TemplateFault(`\`*\` is not supported between ${typeName(value)} and int`);
  }
  run.budget.items(items.length * count);
  const all = Array.from({ length: count }, () => items).flat();
  return value instanceof Tuple ? new Tuple(all) : all;
}

export function compare(operator: CompareOperator, left: Value, right: Value, run: Run): boolean {
  switch (operator) {
    case "==":
      return isEqual(left, right, run);
    case "!=":
      return !isEqual(left, right, run);
    case "in":
      return contains(right, left, run);
    case "not in":
      return !contains(right, left, run);
    case "<":
      return order(left, right, run) < 0;
    case "<=":
      return order(left, right, run) <= 0;
    case ">":
      return order(left, right, run) > 0;
    case ">=":
      return order(left, right, run) >= 0;
  }
}

export function isEqual(left: Value, right: Value, run: Run): boolean {
  run.budget.step();
  if (left === right) return true;
  const a = numberOf(left);
  if (a !== undefined) return a === numberOf(right);
  if (left instanceof Undefined) return right instanceof Undefined;
  if (Array.isArray(left)) return Array.isArray(right) && areEqual(left, right, run);
  if (left instanceof Tuple)
    return right instanceof Tuple && areEqual(left.items, right.items, run);
  if (!(left instanceof Dict && right instanceof Dict)) return false;
  if (left.entries.size !== right.entries.size) return false;
  for (const [key, value] of left.entries) {
    const other = right.entries.get(key);
    if (other === undefined || !isEqual(value, other, run)) return false;
  }
  return true;
}

function areEqual(left: readonly Value[], right: readonly Value[], run: Run): boolean {
  return (
    left.length === right.length &&
    left.every((item, index) => isEqual(item, right[index] ?? null, run))
  );
}

/** @returns less than, equal to, or more than 0 */
export function order(left: Value, right: Value, run: Run): number {
  run.budget.step();
  refuseUndefined(left);
  refuseUndefined(right);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return a - b;
  if (typeof left === "string" && typeof right === "string") {
    return left === right ? 0 : left < right ? -1 : 1;
  }
  const [one, other] = [sequenceItems(left), sequenceItems(right)];
  if (one === undefined || other === undefined || typeName(left) !== typeName(right)) {
    throw new TemplateFault(`${typeName(left)} and ${typeName(right)} cannot be compared`);
  }
  for (const [index, item] of one.entries()) {
    const opposite = other[index];
    if (opposite === undefined) return 1;
    if (!isEqual(item, opposite, run)) return order(item, opposite, run);
  }
  return one.length - other.length;
}

function sequenceItems(value: Value): readonly Value[] | undefined {
  return Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined;
}

export function contains(container: Value, value: Value, run: Run): boolean {
  if (typeof container === "string") {
    if (typeof value !== "string") {
      throw new TemplateFault(`a text cannot contain a value of type ${typeName(value)}`);
    }
    run.budget.read(container.length);
    return container.includes(value);
  }
  if (container instanceof Dict || container instanceof Namespace) {
    return container.entries.has(keyOf(value));
  }
  if (container instanceof Undefined) return false;
  const items = sequenceItems(container);
  if (items === undefined)
    throw new TemplateFault(`a value of type ${typeName(container)} cannot contain others`);
  return items.some((item) => isEqual(item, value, run));
}
