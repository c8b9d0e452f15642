// Grammar for numbers.
import { decimalRange, integerRange, type NumberBounds } from "./number-range.ts";
import { below, invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import { numberAt, type SchemaObject } from "./schema-keywords.ts";
import type { TypeContext } from "./schema-place.ts";

/** Returns undefined if no number is valid. */
export function numberGrammar(
  type: "integer" | "number",
  schema: SchemaObject,
  path: SchemaPath,
  { json, isLenient }: TypeContext,
): string | undefined {
  const step = numberAt(schema, "multipleOf", path);
  if (step !== undefined && step <= 0) {
    throw invalidSchema(below(path, "multipleOf"), "it must be greater than 0");
  }
  // Multiples of 1, 0.1, 0.01 and so on are numbers with a fixed number of decimals.
  const digits = step === undefined ? undefined : Math.round(-Math.log10(step));
  const isStepKept = digits === undefined || (digits >= 0 && Number(`1e${-digits}`) === step);
  if (!isStepKept && !isLenient) {
    throw unsupportedSchema(below(path, "multipleOf"), "only 1, 0.1, 0.01 and so on are supported");
  }
  const fraction = isStepKept ? digits : undefined;
  const bounds = boundsOf(schema, path);
  const isBound = bounds.minimum !== undefined || bounds.maximum !== undefined;
  if (type === "integer" || fraction === 0) {
    return isBound ? integerRange(json.rules, bounds) : json.integer;
  }
  return isBound || fraction !== undefined
    ? decimalRange(json.rules, bounds, fraction)
    : json.number;
}

function boundsOf(schema: SchemaObject, path: SchemaPath): NumberBounds {
  const minimum = boundOf(schema, "minimum", "exclusiveMinimum", path, Math.max);
  const maximum = boundOf(schema, "maximum", "exclusiveMaximum", path, Math.min);
  return {
    minimum: minimum.bound,
    exclusiveMinimum: minimum.isExclusive,
    maximum: maximum.bound,
    exclusiveMaximum: maximum.isExclusive,
  };
}

/** Returns the tighter of two bounds; in draft 4 the exclusive one is a boolean. */
function boundOf(
  schema: SchemaObject,
  key: string,
  exclusiveKey: string,
  path: SchemaPath,
  tighter: (first: number, second: number) => number,
): { bound: number | undefined; isExclusive: boolean } {
  const bound = numberAt(schema, key, path);
  if (typeof schema[exclusiveKey] === "boolean")
    return { bound, isExclusive: schema[exclusiveKey] };
  const exclusive = numberAt(schema, exclusiveKey, path);
  if (exclusive === undefined) return { bound, isExclusive: false };
  const isExclusive = bound === undefined || tighter(bound, exclusive) === exclusive;
  return { bound: isExclusive ? exclusive : bound, isExclusive };
}
