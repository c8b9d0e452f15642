// Items of values, for loops, filters and slices.
import { TemplateFault } from "../template-fault.ts";
import { keyValue } from "./print-value.ts";
import {
  Dict,
  Namespace,
  type Run,
  refuseUndefined,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/**
 * Returns the items of a list, the keys of a dictionary, or the characters of a text.
 *
 * @throws TemplateFault for other values
 */
export function itemsOf(value: Value, run: Run): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof Tuple) return value.items;
  if (value instanceof Undefined) return [];
  if (value instanceof Dict || value instanceof Namespace) {
    run.budget.items(value.entries.size);
    return [...value.entries.keys()].map(keyValue);
  }
  if (typeof value === "string") {
    run.budget.items(value.length);
    return [...value];
  }
  throw new TemplateFault(`a value of type ${typeName(value)} has no items`);
}

const surrogate = /[\ud800-\udfff]/;

/** Counts characters as Python does. */
export function textLength(text: string, run: Run): number {
  run.budget.read(text.length);
  if (!surrogate.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

export function lengthOf(value: Value, run: Run): number {
  if (typeof value === "string") return textLength(value, run);
  if (value instanceof Undefined) return 0;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Tuple) return value.items.length;
  if (value instanceof Dict) return value.entries.size;
  throw new TemplateFault(`a value of type ${typeName(value)} has no length`);
}

/** Returns the item at an index; negative ones count from the end. */
export function itemAt(value: Value, index: number, run: Run): Value | undefined {
  if (typeof value !== "string") {
    const items = Array.isArray(value) ? value : value instanceof Tuple ? value.items : [];
    return items.at(index);
  }
  run.budget.read(value.length);
  return surrogate.test(value) ? [...value].at(index) : value.at(index);
}

/** Python's `value[from:to:step]`. */
export function sliceOf(
  value: Value,
  bounds: { from: number | undefined; to: number | undefined; step: number | undefined },
  run: Run,
): Value {
  refuseUndefined(value);
  if (typeof value === "string" && !surrogate.test(value) && (bounds.step ?? 1) === 1) {
    const [from, to] = [bounds.from ?? 0, bounds.to ?? value.length];
    run.budget.text(value.length);
    return value.slice(from, to);
  }
  if (!(typeof value === "string" || Array.isArray(value) || value instanceof Tuple)) {
    throw new TemplateFault(`a value of type ${typeName(value)} cannot be sliced`);
  }
  const items = itemsOf(value, run);
  const picked = pick(items, bounds);
  run.budget.items(picked.length);
  if (typeof value === "string") return picked.join("");
  return value instanceof Tuple ? new Tuple(picked) : picked;
}

function pick(
  items: readonly Value[],
  {
    from,
    to,
    step = 1,
  }: { from: number | undefined; to: number | undefined; step: number | undefined },
): Value[] {
  if (step === 0) throw new TemplateFault("the step of a slice cannot be 0");
  const { length } = items;
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const bound = (index: number | undefined, byDefault: number) => {
    if (index === undefined) return byDefault;
    return Math.min(Math.max(index < 0 ? index + length : index, least), most);
  };
  const begin = bound(from, step > 0 ? 0 : length - 1);
  const end = bound(to, step > 0 ? length : -1);
  const picked: Value[] = [];
  for (let index = begin; step > 0 ? index < end : index > end; index += step) {
    const item = items[index];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}
