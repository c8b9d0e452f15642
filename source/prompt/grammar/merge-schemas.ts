// Merge of two schemas that both apply to a value: for allOf, and for keywords beside anyOf and $ref.
import { isRecord } from "../../base/json.ts";
import type { ComparedTexts } from "./schema-bounds.ts";
import { below, invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";
import {
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaObject,
  schemaAt,
  typesOf,
  withoutAnnotations,
} from "./schema-keywords.ts";

const largerWins = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const smallerWins = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
const unionKeys = ["anyOf", "oneOf"];
/** Keywords for which both schemas must have the same value. */
const mustAgree = ["const", "pattern", "format", "multipleOf", "prefixItems", "propertyNames"];
/** More combinations would take too long. */
const maxCombinations = 256;

/**
 * @param texts shared by all merges of one schema
 * @throws SchemaRefusal for two keywords that cannot be merged
 */
export function mergeSchemas(
  first: Schema,
  second: Schema,
  path: SchemaPath,
  texts: ComparedTexts,
): Schema {
  if (first === false || second === false) return false;
  if (first === true) return second;
  if (second === true) return first;
  const merged: Record<string, unknown> = { ...second, ...first };
  for (const key of Object.keys(withoutAnnotations(second))) {
    if (!Object.hasOwn(first, key)) continue;
    merged[key] = mergeKeyword(key, first, second, { path, texts });
  }
  // Returns false for two lists of values that have none in common.
  if (first.enum !== undefined && second.enum !== undefined && isEmpty(merged.enum)) return false;
  return {
    ...merged,
    ...mergeProperties(first, second, path),
    ...mergeAdditional(first, second, path),
  };
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function mergeKeyword(
  key: string,
  firstSchema: SchemaObject,
  secondSchema: SchemaObject,
  { path, texts }: { path: SchemaPath; texts: ComparedTexts },
): unknown {
  const [first, second] = [firstSchema[key], secondSchema[key]];
  // Merged together elsewhere.
  if (key === "properties" || key === "additionalProperties") return first;
  if (first === second) return first;
  const textOf = (value: unknown) => texts.of(value, below(path, key));
  if (textOf(first) === textOf(second)) return first;
  if (typeof first === "number" && typeof second === "number") {
    if (largerWins.includes(key)) return Math.max(first, second);
    if (smallerWins.includes(key)) return Math.min(first, second);
  }
  if (key === "type") return commonTypes(firstSchema, secondSchema, path);
  if (key === "enum" && Array.isArray(first) && Array.isArray(second)) {
    const others = new Set(second.map(textOf));
    return first.filter((value) => others.has(textOf(value)));
  }
  if (key === "required") {
    return [...new Set([...requiredOf(firstSchema, path), ...requiredOf(secondSchema, path)])];
  }
  if (key === "items") return { allOf: [first, second] };
  if (key === "allOf" && Array.isArray(first) && Array.isArray(second))
    return [...first, ...second];
  if (unionKeys.includes(key) && Array.isArray(first) && Array.isArray(second)) {
    if (first.length * second.length > maxCombinations) {
      throw unsupportedSchema(below(path, key), "there are too many combinations");
    }
    return first.flatMap((one) => second.map((other) => ({ allOf: [one, other] })));
  }
  if (!mustAgree.includes(key)) return first;
  throw unsupportedSchema(below(path, key), `two different \`${key}\` apply to the same value`);
}

function commonTypes(first: SchemaObject, second: SchemaObject, path: SchemaPath): string[] {
  const [types, others] = [typesOf(first, path) ?? [], typesOf(second, path) ?? []];
  const common = types.filter(
    (type) => others.includes(type) || (type === "integer" && others.includes("number")),
  );
  if (types.includes("number") && others.includes("integer")) common.push("integer");
  if (common.length === 0) throw invalidSchema(path, "no value has both types at once");
  return [...new Set(common)];
}

/** Applies one side's rules for undeclared properties to those that only the other side declares. */
function mergeProperties(
  first: SchemaObject,
  second: SchemaObject,
  path: SchemaPath,
): Record<string, unknown> {
  if (!isRecord(first.properties) && !isRecord(second.properties)) return {};
  const ofFirst = new Map(propertiesOf(first, path));
  const ofSecond = new Map(propertiesOf(second, path));
  const names = new Set([...ofFirst.keys(), ...ofSecond.keys()]);
  const properties = [...names].map((name): [string, Schema] => {
    const one = ofFirst.get(name) ?? schemaAt(first, "additionalProperties", path) ?? true;
    const other = ofSecond.get(name) ?? schemaAt(second, "additionalProperties", path) ?? true;
    if (one === true || other === true) return [name, one === true ? other : one];
    return [name, one === false || other === false ? false : { allOf: [one, other] }];
  });
  return { properties: Object.fromEntries(properties) };
}

function mergeAdditional(first: SchemaObject, second: SchemaObject, path: SchemaPath) {
  const one = schemaAt(first, "additionalProperties", path);
  const other = schemaAt(second, "additionalProperties", path);
  if (one === undefined && other === undefined) return {};
  if (one === false || other === false) return { additionalProperties: false };
  if (one === undefined || one === true) return { additionalProperties: other ?? true };
  if (other === undefined || other === true) return { additionalProperties: one };
  return { additionalProperties: { allOf: [one, other] } };
}
