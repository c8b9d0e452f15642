// Reading of calls whose name and arguments are between marks, as in XML.
import { parseJson } from "../../base/json.ts";
import { parseLooseValue, pythonNotation } from "./loose-value.ts";
import type { Output } from "./output.ts";
import type { OutputText, Reading } from "./output-text.ts";

/** Marks of such a format. White space is allowed between all of them. */
export interface MarkedCallForm {
  /** Before and after the tool's name. */
  beforeName: string;
  afterName: string;
  beforeKey: string;
  afterKey: string;
  /** Attributes after `afterName` and `afterKey`, if the format has any. */
  attributes?: {
    end: string;
    /** Returns true if an argument with these attributes is a string; undefined if they do not say. */
    isString(attributes: string): boolean | undefined;
    /** Returns the attributes of an argument, as a model writes them. */
    ofArgument(type: "string" | "number" | "boolean" | "null" | "array" | "object"): string;
    /** Attributes of a name, if any: a number stands for any number. */
    ofName: string;
  };
  /** Mark between the key's last mark and the value, if any. */
  beforeValue?: string;
  afterValue: string;
  /** Marks around a string that may contain `afterValue`. */
  verbatim?: { open: string; close: string };
  /** Mark after the last argument. */
  end: string;
}

/** Reads consecutive calls; returns false unless the first is one. */
export function* readMarkedCalls(output: Output, form: MarkedCallForm): Reading<boolean> {
  if (!(yield* readMarkedCall(output, form))) return false;
  // Without a mark before the name, every call has its own opening.
  if (form.beforeName === "") return true;
  while (yield* output.text.attempt(readMarkedCall(output, form))) {}
  return true;
}

/**
 * Reads one call. Arguments whose schema says `string` are passed on as they arrive, without the line
 * breaks between the value and its marks; others once they are complete, as JSON, else as a Python
 * literal, else as text.
 */
export function* readMarkedCall(output: Output, form: MarkedCallForm): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace(form.beforeName))) return false;
  yield* text.takeSpace();
  const tool = yield* output.readToolName();
  if (tool === undefined || !(yield* text.skipAfterSpace(form.afterName))) return false;
  if ((yield* readAttributes(text, form)) === undefined) return false;
  const call = output.startCall(tool);
  let before = "{";
  while (!(yield* text.skipAfterSpace(form.end))) {
    const key = yield* readKey(text, form);
    if (key === undefined) return false;
    const attributes = yield* readAttributes(text, form);
    if (attributes === undefined) return false;
    call.addArguments(`${before}${JSON.stringify(key)}: `);
    before = ", ";
    const schema = output.schemaOfArgument(tool, key);
    const isText = form.attributes?.isString(attributes) ?? isString(schema);
    const { verbatim } = form;
    let isRead: boolean;
    if (verbatim !== undefined && (yield* text.skipAfterSpace(verbatim.open))) {
      isRead = yield* readString(text, [verbatim.close], call.addArguments);
      isRead &&= yield* text.skipAfterSpace(form.afterValue);
    } else if (isText) {
      isRead = yield* readStringValue(text, form, call.addArguments);
    } else {
      isRead = yield* readValue(text, form, schema, call.addArguments);
    }
    if (!isRead) return false;
  }
  call.addArguments(before === "{" ? "{}" : "}");
  return call.end();
}

function* readKey(text: OutputText, form: MarkedCallForm): Reading<string | undefined> {
  if (!(yield* text.skipAfterSpace(form.beforeKey))) return undefined;
  const key = yield* readUntil(text, form.afterKey);
  if (key === undefined) return undefined;
  const isComplete =
    form.beforeValue === undefined || (yield* text.skipAfterSpace(form.beforeValue));
  return isComplete ? key.trim() : undefined;
}

/** Reads attributes after a name or a key, empty if the format has none; returns undefined at the end. */
function* readAttributes(text: OutputText, form: MarkedCallForm): Reading<string | undefined> {
  return form.attributes === undefined ? "" : yield* readUntil(text, form.attributes.end);
}

/** Reads up to and including a mark; returns undefined if it never comes. */
function* readUntil(text: OutputText, mark: string): Reading<string | undefined> {
  let read = "";
  const found = yield* text.passUntil([mark], (piece) => {
    read += piece;
  });
  if (found === undefined) return undefined;
  text.take(mark.length);
  return read;
}

function* readStringValue(
  text: OutputText,
  form: MarkedCallForm,
  pass: (json: string) => void,
): Reading<boolean> {
  // A line break before the end belongs to the value unless one before the value matches it.
  const isSetApart = yield* text.skip("\n");
  return yield* readString(
    text,
    isSetApart ? [`\n${form.afterValue}`, form.afterValue] : [form.afterValue],
    pass,
  );
}

/** Reads a string up to and including the first of the marks. */
function* readString(
  text: OutputText,
  marks: readonly string[],
  pass: (json: string) => void,
): Reading<boolean> {
  pass('"');
  const mark = yield* text.passUntil(marks, (piece) => pass(JSON.stringify(piece).slice(1, -1)));
  if (mark === undefined) return false;
  text.take(mark.length);
  pass('"');
  return true;
}

function* readValue(
  text: OutputText,
  form: MarkedCallForm,
  schema: unknown,
  pass: (json: string) => void,
): Reading<boolean> {
  const written = yield* readUntil(text, form.afterValue);
  if (written === undefined) return false;
  pass(JSON.stringify(argumentValue(written, schema)));
  return true;
}

/** Parses an argument; without a schema a number stays text, since it may be a code. */
function argumentValue(written: string, schema: unknown): unknown {
  const string = written.replace(/^\n/, "").replace(/\n$/, "");
  const value = parseJson(written.trim()) ?? parseLooseValue(written, pythonNotation);
  const isText = value === undefined || (schema === undefined && typeof value !== "object");
  return isText ? string : value;
}

function isString(schema: unknown): boolean {
  return (
    typeof schema === "object" && schema !== null && "type" in schema && schema.type === "string"
  );
}
