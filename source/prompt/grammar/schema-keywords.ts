// Keywords of a JSON schema, read with checks of their types.
import { isRecord } from "../../base/json.ts";
import { below, invalidSchema, type SchemaPath, unsupportedSchema } from "./schema-error.ts";

export type SchemaObject = Readonly<Record<string, unknown>>;
export type Schema = SchemaObject | boolean;

export const typeNames = [
  "null",
  "boolean",
  "integer",
  "number",
  "string",
  "array",
  "object",
] as const;
export type TypeName = (typeof typeNames)[number];

export function asSchema(value: unknown, path: SchemaPath): Schema {
  if (isRecord(value) || typeof value === "boolean") return value;
  throw invalidSchema(path, "a schema must be an object, true or false");
}

export function schemaAt(schema: SchemaObject, key: string, path: SchemaPath): Schema | undefined {
  return schema[key] === undefined ? undefined : asSchema(schema[key], below(path, key));
}

export function schemasAt(
  schema: SchemaObject,
  key: string,
  path: SchemaPath,
): Schema[] | undefined {
  const value = schema[key];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) {
    throw invalidSchema(below(path, key), "it must be a list of schemas");
  }
  return value.map((item, index) => asSchema(item, below(path, key, index)));
}

export function propertiesOf(schema: SchemaObject, path: SchemaPath): Array<[string, Schema]> {
  const value = schema.properties ?? {};
  if (!isRecord(value)) throw invalidSchema(below(path, "properties"), "it must be an object");
  return Object.entries(value).map(([name, property]) => [
    name,
    asSchema(property, below(path, "properties", name)),
  ]);
}

export function requiredOf(schema: SchemaObject, path: SchemaPath): string[] {
  const value = schema.required ?? [];
  const isList = Array.isArray(value) && value.every((name) => typeof name === "string");
  if (!isList) throw invalidSchema(below(path, "required"), "it must be a list of names");
  return value;
}

/** Returns the types in `type`, with `null` for OpenAPI's `nullable`; undefined without a type. */
export function typesOf(schema: SchemaObject, path: SchemaPath): TypeName[] | undefined {
  const { type, nullable } = schema;
  if (type === undefined) return undefined;
  const names: unknown[] = Array.isArray(type) ? type : [type];
  const known = typeNames.filter((name) => names.includes(name));
  if (known.length !== new Set(names).size || known.length === 0) {
    throw invalidSchema(below(path, "type"), `a type must be one of ${typeNames.join(", ")}`);
  }
  return nullable === true && !known.includes("null") ? ["null", ...known] : known;
}

/** Reads a non-negative integer. */
export function countAt(schema: SchemaObject, key: string, path: SchemaPath): number | undefined {
  const value = schema[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidSchema(below(path, key), "it must be a whole number, 0 or more");
}

export function numberAt(schema: SchemaObject, key: string, path: SchemaPath): number | undefined {
  const value = schema[key];
  if (value === undefined) return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalidSchema(below(path, key), "it must be a number");
}

export function textAt(schema: SchemaObject, key: string, path: SchemaPath): string | undefined {
  const value = schema[key];
  if (value === undefined || typeof value === "string") return value;
  throw invalidSchema(below(path, key), "it must be a string");
}

/** Keywords that no grammar can enforce, with a test for values that have no effect. */
const unsupportedKeywords: Record<string, (schema: SchemaObject) => boolean> = {
  not: ({ not }) => not === false,
  if: (schema) => schema.then === undefined && schema.else === undefined,
  dependentRequired: () => false,
  dependentSchemas: () => false,
  dependencies: () => false,
  contains: () => false,
  patternProperties: ({ patternProperties: value }) => isRecord(value) && isEmpty(value),
  unevaluatedProperties: ({ unevaluatedProperties }) => typeof unevaluatedProperties === "boolean",
  unevaluatedItems: ({ unevaluatedItems }) => typeof unevaluatedItems === "boolean",
  uniqueItems: ({ uniqueItems, maxItems }) =>
    uniqueItems === false || (typeof maxItems === "number" && maxItems <= 1),
  $dynamicRef: () => false,
  $recursiveRef: () => false,
};

/**
 * Keywords that invert the meaning of a schema: without them, a call could be exactly the unwanted one.
 * Other unsupported keywords only narrow it. Generators write an empty `not` for "never".
 */
const essentialKeywords: Record<string, (schema: SchemaObject) => boolean> = {
  not: ({ not }) => typeof not === "boolean" || (isRecord(not) && isEmpty(not)),
  if: (schema) => schema.then === undefined && schema.else === undefined,
  $dynamicRef: () => false,
  $recursiveRef: () => false,
};

/** @throws SchemaRefusal */
export function refuseEssentialKeywords(schema: SchemaObject, path: SchemaPath): void {
  refuse(essentialKeywords, schema, path);
}

/** @throws SchemaRefusal */
export function refuseUnsupportedKeywords(schema: SchemaObject, path: SchemaPath): void {
  refuse(unsupportedKeywords, schema, path);
}

function refuse(
  keywords: Record<string, (schema: SchemaObject) => boolean>,
  schema: SchemaObject,
  path: SchemaPath,
): void {
  for (const [key, asksNothing] of Object.entries(keywords)) {
    if (schema[key] === undefined || asksNothing(schema)) continue;
    throw unsupportedSchema(below(path, key), `the keyword \`${key}\` is not supported`);
  }
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

const annotations = new Set([
  ...["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "description"],
  ...[
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "strict",
    "nullable",
  ],
]);

/** Returns a schema without the keywords that have no effect on a value. */
export function withoutAnnotations(schema: SchemaObject): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !annotations.has(key)));
}
