// Functions len, index and slice for lists, maps and texts.
import { TemplateFault } from "../template-fault.ts";
import { TemplateText } from "./template-text.ts";
import { GoList, GoMap, type GoValue, isNil, typeName } from "./values.ts";

/** Returns a length; for a text, in bytes of UTF-8. */
export function lengthOf(value: GoValue): bigint {
  if (value instanceof TemplateText) return BigInt(value.byteLength);
  if (value instanceof GoList) return BigInt(value.length);
  if (value instanceof GoMap) return BigInt(value.entries.size);
  throw new TemplateFault(`len of type ${typeName(value)}`);
}

/** Evaluates `index x 1 "a"`, Go's `x[1]["a"]`. */
export function indexInto(value: GoValue, indexes: readonly GoValue[]): GoValue {
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
export function sliceOf(value: GoValue, indexes: readonly GoValue[]): GoValue {
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
