// Facts of a tool's arguments, for readings and grammars of calls.
import type { ToolDefinition } from "../chat-message.ts";

/** A tool's argument: its name, its schema, and whether it must be there. */
export interface Parameter {
  name: string;
  schema: unknown;
  isRequired: boolean;
}

/** Those of a tool, or members of an object, in their declared order. */
export function parametersOf(schema: ToolDefinition["parameters"]): Parameter[] {
  const properties = schema?.properties;
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, own]) => ({
    name,
    schema: own,
    isRequired: required.includes(name),
  }));
}

/** Whether a string fits: then the text is one, whatever else it could be. */
export function takesString(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  const { type, anyOf, oneOf } = schema;
  if (stringsOf(schema) !== undefined) return true;
  if (type === "string" || (Array.isArray(type) && type.includes("string"))) return true;
  return [anyOf, oneOf].some((list) => Array.isArray(list) && list.some(takesString));
}

export type ArgumentType = "string" | "number" | "boolean" | "null" | "array" | "object";

/** The type that a model takes a value for; text where the schema leaves it open. */
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

/** The strings of an enumeration of nothing else. */
export function stringsOf(schema: unknown): string[] | undefined {
  const values = isRecord(schema) ? schema.enum : undefined;
  const isAll = Array.isArray(values) && values.length > 0;
  return isAll && values.every((value) => typeof value === "string") ? values : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
