// MiniMax M3: arguments as nested elements, every tag after the token "]<]minimax[>["
import { isRecord } from "../../../base/json.ts";
import type { Output } from "../output.ts";
import type { NestedCallForm, OutputFormatDefinition } from "../output-format.ts";
import type { OutputText, Reading } from "../output-text.ts";
import { takesString } from "../schema-facts.ts";

const token = "]<]minimax[>[";
const open = (name: string) => `${token}<${name}>`;
const close = (name: string) => `${token}</${name}>`;
/** Deeper than any argument. */
const maxDepth = 32;

const form: NestedCallForm = {
  beforeName: `${token}<invoke name="`,
  afterName: '">',
  mark: token,
  end: close("invoke"),
};

/**
 * Members of an object are elements with their names, items of a list elements `item`; a string is the
 * text up to its closing tag, whatever it contains. Source: llama.cpp, common/chat.cpp and
 * tests/test-chat.cpp.
 */
export const minimaxM3: OutputFormatDefinition = {
  isUsedBy: (template) => template.includes(token),
  marks: [token],
  calls: { openings: [open("tool_call")], read },
  notations: [{ kind: "marked", open: open("tool_call"), form, close: close("tool_call") }],
};

function* read(output: Output): Reading<boolean> {
  const { text } = output;
  yield* text.skip(open("tool_call"));
  if (!(yield* readCall(output))) return false;
  while (yield* text.attempt(readCall(output))) {}
  yield* text.skipClosing(close("tool_call"));
  return true;
}

function* readCall(output: Output): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace(form.beforeName))) return false;
  const name = yield* output.readToolName();
  if (name === undefined || !(yield* text.skip(form.afterName))) return false;
  const call = output.startCall(name);
  let before = "{";
  while (!(yield* text.skipAfterSpace(form.end))) {
    const member = yield* readElement(text, (key) => output.schemaOfArgument(name, key), 0);
    if (member === undefined) return false;
    call.addArguments(`${before}${JSON.stringify(member.name)}: ${JSON.stringify(member.value)}`);
    before = ", ";
  }
  call.addArguments(before === "{" ? "{}" : "}");
  return call.end();
}

interface Element {
  name: string;
  value: unknown;
}

/** Reads `<name>value</name>`; returns undefined for anything else. */
function* readElement(
  text: OutputText,
  schemaOf: (name: string) => unknown,
  depth: number,
): Reading<Element | undefined> {
  if (depth > maxDepth || !(yield* text.skipAfterSpace(`${token}<`))) return undefined;
  let name = "";
  const mark = yield* text.passUntil([">", "<"], (piece) => {
    name += piece;
  });
  if (mark !== ">" || name === "" || name.startsWith("/")) return undefined;
  text.take(1);
  const value = yield* readValue(text, name, schemaOf(name), depth);
  return value === undefined ? undefined : { name, value: value.value };
}

/** Reads a value and the closing tag of its element. */
function* readValue(
  text: OutputText,
  name: string,
  schema: unknown,
  depth: number,
): Reading<{ value: unknown } | undefined> {
  if (!takesString(schema) && (yield* startsElement(text))) {
    return yield* readContainer(text, name, schema, depth);
  }
  let written = "";
  const mark = yield* text.passUntil([close(name)], (piece) => {
    written += piece;
  });
  if (mark === undefined) return undefined;
  text.take(mark.length);
  return { value: takesString(schema) ? written : scalar(written, schema) };
}

function* startsElement(text: OutputText): Reading<boolean> {
  return (yield* text.startsWith(`${token}<`)) && !(yield* text.startsWith(`${token}</`));
}

function* readContainer(
  text: OutputText,
  name: string,
  schema: unknown,
  depth: number,
): Reading<{ value: unknown } | undefined> {
  const elements: Element[] = [];
  while (!(yield* text.skipAfterSpace(close(name)))) {
    const element = yield* readElement(text, (key) => schemaWithin(schema, key), depth + 1);
    if (element === undefined) return undefined;
    elements.push(element);
  }
  const isList = elements.every((element) => element.name === "item");
  return {
    value: isList
      ? elements.map(({ value }) => value)
      : Object.fromEntries(elements.map((element) => [element.name, element.value])),
  };
}

/** Returns the schema of a member or an item, in any of a schema's alternatives. */
function schemaWithin(schema: unknown, key: string): unknown {
  if (!isRecord(schema)) return undefined;
  const { properties, items, anyOf, oneOf } = schema;
  if (isRecord(properties) && Object.hasOwn(properties, key)) return properties[key];
  if (key === "item" && items !== undefined) return items;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return alternatives.map((each) => schemaWithin(each, key)).find((found) => found !== undefined);
}

function scalar(written: string, schema: unknown): unknown {
  const isList = isRecord(schema) && schema.type === "array";
  if (written === "") return isList ? [] : isRecord(schema) && schema.type === "object" ? {} : "";
  if (schema === undefined) return written;
  try {
    return JSON.parse(written);
  } catch {
    return written; // not JSON: kept as text
  }
}
