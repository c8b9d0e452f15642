// Tools as templates see them: structs with Go's field names, which print as the client's JSON.
import { isRecord } from "../../base/json.ts";
import { ProductError } from "../../base/product-error.ts";
import type { ToolDefinition } from "../chat-message.ts";
import { promptErrors } from "../errors.ts";
import { deepestCalls } from "../render-budget.ts";
import { jsonText } from "./json-text.ts";
import { TemplateText } from "./template-text.ts";
import { GoList, GoMap, GoStruct, type GoValue } from "./values.ts";

/** Returns untrusted text; half a surrogate pair, which no prompt can contain, becomes U+FFFD. */
export function outsideText(text: string): TemplateText {
  return TemplateText.of(text.toWellFormed(), "outside");
}

/** @throws ProductError `PROMPT_TEMPLATE_REFUSED` when it is nested too deeply */
export function jsonValue(value: unknown, depth = 0): GoValue {
  if (depth > deepestCalls) {
    throw new ProductError(promptErrors.templateRefused, {
      message: `A tool or tool call contains JSON that is nested more than ${deepestCalls} deep.`,
      hint: "Send less deeply nested JSON.",
    });
  }
  if (typeof value === "string") return outsideText(value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return new GoList(value.map((item) => jsonValue(item, depth + 1)));
  if (typeof value !== "object" || value === null) return null;
  return new GoMap(entriesOf(value, (item) => jsonValue(item, depth + 1)));
}

/** Returns a list that prints as JSON, as `.Tools` does. */
export function toolList(tools: readonly ToolDefinition[]): GoList {
  const items = tools.map(toolStruct);
  const list: GoList = new GoList(items, () => jsonText(list));
  return list;
}

function toolStruct({ name, description, parameters }: ToolDefinition): GoStruct {
  // Refuses JSON that is nested too deeply before other functions walk through it.
  const json = new Map<string, GoValue>([["name", outsideText(name)]]);
  if (description !== undefined) json.set("description", outsideText(description));
  if (parameters !== undefined) json.set("parameters", jsonValue(parameters));
  const functionStruct = new GoStruct(
    "ToolFunction",
    {
      Name: outsideText(name),
      Description: outsideText(description ?? ""),
      Parameters: parametersStruct(parameters ?? {}),
    },
    () => new GoMap(json),
  );
  const type = TemplateText.of("function");
  return new GoStruct(
    "Tool",
    { Type: type, Items: null, Function: functionStruct },
    () =>
      new GoMap(
        new Map<string, GoValue>([
          ["type", type],
          ["function", functionStruct],
        ]),
      ),
  );
}

function parametersStruct(schema: Record<string, unknown>): GoStruct {
  return new GoStruct(
    "ToolFunctionParameters",
    {
      Type: outsideText(typeof schema.type === "string" ? schema.type : ""),
      Defs: jsonValue(schema.$defs),
      Items: jsonValue(schema.items),
      Required: stringList(schema.required),
      Properties: propertyMap(schema.properties),
    },
    () => jsonValue(schema),
  );
}

function propertyMap(properties: unknown): GoMap {
  return new GoMap(entriesOf(properties, propertyStruct), jsonText);
}

function propertyStruct(schema: unknown): GoStruct {
  const known = isRecord(schema) ? schema : {};
  return new GoStruct(
    "ToolProperty",
    {
      AnyOf: new GoList(listOf(known.anyOf).map(propertyStruct)),
      Type: typeList(known.type),
      Items: jsonValue(known.items),
      Description: outsideText(typeof known.description === "string" ? known.description : ""),
      Enum: new GoList(listOf(known.enum).map((each) => jsonValue(each))),
      Properties: propertyMap(known.properties),
      Required: stringList(known.required),
      ToTypeScriptType: TemplateText.of(typeScriptName(known)),
    },
    () => jsonValue(schema),
  );
}

/** Returns a property's type in TypeScript's notation (`toTypeScriptType`). */
export function typeScriptType(value: GoValue): TemplateText {
  const own = value instanceof GoStruct ? value.fields.get("ToTypeScriptType") : undefined;
  return own instanceof TemplateText ? own : TemplateText.of("any");
}

const typeScriptNames: Record<string, string> = {
  string: "string",
  number: "number",
  integer: "number",
  boolean: "boolean",
  array: "any[]",
  object: "Record<string, any>",
  null: "null",
};

function typeScriptName(schema: Record<string, unknown>): string {
  const choices = listOf(schema.anyOf).filter(isRecord);
  if (choices.length > 0) return choices.map(typeScriptName).join(" | ");
  const names = typesOf(schema.type).map((name) =>
    Object.hasOwn(typeScriptNames, name) ? typeScriptNames[name] : "any",
  );
  return names.length === 0 ? "any" : names.join(" | ");
}

/** Returns a schema's types; a single one prints as itself. */
function typeList(type: unknown): GoList {
  const items = typesOf(type).map(outsideText);
  const [first = TemplateText.empty] = items;
  if (items.length > 1) return new GoList(items);
  return new GoList(items, () => first);
}

function typesOf(type: unknown): string[] {
  return (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
}

function stringList(value: unknown): GoList {
  return new GoList(
    listOf(value)
      .filter((each) => typeof each === "string")
      .map(outsideText),
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown, convert: (item: unknown) => GoValue): Map<string, GoValue> {
  if (!isRecord(value)) return new Map();
  return new Map(Object.entries(value).map(([key, item]) => [key.toWellFormed(), convert(item)]));
}
