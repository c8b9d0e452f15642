// Comparisons such as eq and lt, with Go's rules on comparable types.
import { TemplateFault } from "../template-fault.ts";
import { TemplateText } from "./template-text.ts";
import { compareBytes, type GoValue, isNil, typeName } from "./values.ts";

/** Returns true if the first equals one of the others. */
export function equalsAny(first: GoValue, others: readonly GoValue[]): boolean {
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

export function isLess(a: GoValue, b: GoValue): boolean {
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
export function isLessOrEqual(a: GoValue, b: GoValue): boolean {
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
