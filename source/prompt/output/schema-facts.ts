// Facts about a tool's arguments, for parsers and grammars of calls.
import { Check } from "typebox/schema";
import { isRecord } from "../../base/json.ts";
import type { ToolDefinition } from "../chat-message.ts";

/** Argument of a tool. */
export interface Parameter {
  name: string;
  schema: unknown;
  isRequired: boolean;
}

/** Returns a tool's arguments, or an object's members, in their declared order. */
export function parametersOf(schema: ToolDefinition["parameters"]): Parameter[] {
  const properties = schema?.properties;
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, own]) => ({
    name,
    schema: own,
    isRequired: required.includes(name),
  }));
}

/** Returns true if a string is allowed: text is then taken as a string, whatever it looks like. */
export function takesString(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { type, anyOf, oneOf } = schema;
  if (stringsOf(schema) !== undefined) return true;
  if (type === "string" || (Array.isArray(type) && type.includes("string"))) return true;
  return [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(takesString));
}

export type ArgumentType = "string" | "number" | "boolean" | "null" | "array" | "object";

/** Returns the type to parse a value as; string if the schema leaves it open. */
export function typeOf(schema: unknown): ArgumentType {
  if (!isRecord(schema) || takesString(schema)) return "string";
  const { type } = schema;
  const name = Array.isArray(type) ? type.find((each) => each !== "null") : type;
  switch (name) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "null":
    case "array":
    case "object":
      return name;
    case undefined:
      return isStructured(schema) ? "object" : "string";
    default:
      return "string";
  }
}

function isStructured(schema: Record<string, unknown>): boolean {
  return ["$ref", "anyOf", "oneOf", "allOf", "enum", "const", "properties", "items"].some(
    (key) => schema[key] !== undefined,
  );
}

/** Returns the values of an enumeration that has only strings. */
export function stringsOf(schema: unknown): string[] | undefined {
  const values = isRecord(schema) ? schema.enum : undefined;
  const isAll = Array.isArray(values) && values.length > 0;
  return isAll && values.every((value) => typeof value === "string") ? values : undefined;
}

/**
 * Returns true if a call's arguments fulfil the tool's schema. Patterns and formats are not compared: they
 * come from strangers, and JavaScript's expressions can take forever.
 */
export function fulfils(schema: ToolDefinition["parameters"], values: unknown): boolean {
  if (!isRecord(values)) return false;
  if (schema === undefined) return true;
  try {
    return Check({ ...withoutPatterns(schema, 0), type: "object" }, values);
  } catch {
    // A schema that refers to itself without an end fits nothing.
    return false;
  }
}

const patternKeys = ["pattern", "patternProperties", "propertyNames", "format"];
/** Keys whose members are names of schemas, not keywords. */
const namedSchemas = ["properties", "$defs", "definitions", "dependentSchemas"];
const deepestSchema = 64;

function withoutPatterns(
  schema: Record<string, unknown>,
  depth: number,
  hasNames = false,
): Record<string, unknown> {
  if (depth > deepestSchema) return {};
  const plain = (value: unknown, key = ""): unknown => {
    if (Array.isArray(value)) return value.map((item) => plain(item));
    if (!isRecord(value)) return value;
    return withoutPatterns(value, depth + 1, !hasNames && namedSchemas.includes(key));
  };
  const isValue = (key: string) => !hasNames && (key === "enum" || key === "const");
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => hasNames || !patternKeys.includes(key))
      .map(([key, value]) => [key, isValue(key) ? value : plain(value, key)]),
  );
}
