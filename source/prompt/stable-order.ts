// Canonical order of tools and calls, so that equivalent requests begin with the same tokens.
//
// Clients that keep tools or JSON in unordered maps sometimes change their order, and everything after
// the first difference would have to be read again. Sorts only where order has no meaning: the list of
// tools, the keywords of a schema, the names in `required`, the arguments of a call. The order of
// `properties` stays, since a model writes arguments in that order, as does the order of `enum`.
import { isRecord } from "../base/json.ts";
import type { ToolDefinition } from "./chat-message.ts";
import type { PromptMessage } from "./prompt-template.ts";

/** Usual order in tool descriptions; other keywords follow by name. */
const keywordOrder = [
  "$ref",
  "type",
  "title",
  "description",
  "enum",
  "const",
  "default",
  "format",
  "items",
  "properties",
  "required",
  "additionalProperties",
];
/** Keywords that contain schemas by name. */
const namedSchemas = new Set(["properties", "patternProperties", "$defs", "definitions"]);
/** Keywords that contain a schema, or a list of them. */
const innerSchemas = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "not",
  "anyOf",
  "oneOf",
  "allOf",
]);
/** Deeper levels stay unchanged. */
const deepest = 64;

/** Sorts tools by name, and the keywords of their schemas. */
export function inStableOrder(tools: readonly ToolDefinition[]): ToolDefinition[] {
  return tools
    .map((tool) => {
      const { parameters } = tool;
      return parameters === undefined ? tool : { ...tool, parameters: orderedSchema(parameters) };
    })
    .sort((a, b) => compare(a.name, b.name));
}

/** Orders the arguments of earlier calls as their tools declare them. */
export function withDeclaredOrder(
  messages: readonly PromptMessage[],
  tools: readonly ToolDefinition[],
): PromptMessage[] {
  const schemas = new Map(tools.map(({ name, parameters }) => [name, parameters]));
  return messages.map((message) => {
    if (message.toolCalls === undefined) return message;
    const toolCalls = message.toolCalls.map((call) => ({
      ...call,
      arguments: orderedObject(call.arguments, schemas.get(call.name), 0),
    }));
    return { ...message, toolCalls };
  });
}

function orderedSchema(schema: Record<string, unknown>, depth = 0): Record<string, unknown> {
  if (depth > deepest) return schema;
  const inner = (value: unknown): unknown =>
    isRecord(value) ? orderedSchema(value, depth + 1) : value;
  const ordered = (key: string, value: unknown): unknown => {
    if (key === "required") return orderedNames(value, schema.properties);
    if (innerSchemas.has(key)) return Array.isArray(value) ? value.map(inner) : inner(value);
    if (!namedSchemas.has(key) || !isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one)]));
  };
  return Object.fromEntries(
    Object.entries(schema)
      .sort(([a], [b]) => rankOf(a) - rankOf(b) || compare(a, b))
      .map(([key, value]) => [key, ordered(key, value)]),
  );
}

function rankOf(keyword: string): number {
  const rank = keywordOrder.indexOf(keyword);
  return rank < 0 ? keywordOrder.length : rank;
}

/** Sorts `required`: in the order of the properties, then by name. */
function orderedNames(names: unknown, properties: unknown): unknown {
  if (!Array.isArray(names) || !names.every((name) => typeof name === "string")) return names;
  const declared = isRecord(properties) ? Object.keys(properties) : [];
  const known = declared.filter((name) => names.includes(name));
  return [...known, ...names.filter((name) => !known.includes(name)).sort(compare)];
}

/** Sorts an object as its schema declares it; other names follow in the order of the request. */
function orderedObject(
  value: Record<string, unknown>,
  schema: unknown,
  depth: number,
): Record<string, unknown> {
  if (depth > deepest || !isRecord(schema) || !isRecord(schema.properties)) return value;
  const { properties } = schema;
  const names = [
    ...Object.keys(properties).filter((name) => Object.hasOwn(value, name)),
    ...Object.keys(value).filter((name) => !Object.hasOwn(properties, name)),
  ];
  return Object.fromEntries(
    names.map((name) => [name, orderedValue(value[name], ownOf(properties, name), depth + 1)]),
  );
}

function orderedValue(value: unknown, schema: unknown, depth: number): unknown {
  if (isRecord(value)) return orderedObject(value, schema, depth);
  if (!Array.isArray(value) || !isRecord(schema)) return value;
  return value.map((item) => (isRecord(item) ? orderedObject(item, schema.items, depth) : item));
}

function ownOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Compares by code units, independent of the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
