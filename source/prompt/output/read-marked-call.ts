// Readings of calls whose name and arguments stand between marks, as in XML.
import { parseLooseValue, pythonNotation } from "./loose-value.ts";
import type { Output } from "./output.ts";
import type { OutputText, Reading } from "./output-text.ts";

/** The marks of one such format. White space is allowed between all of them. */
export interface MarkedCallForm {
  /** Before and behind the tool's name. */
  beforeName: string;
  afterName: string;
  beforeKey: string;
  afterKey: string;
  /** Between the key's last mark and the value, where there is one. */
  beforeValue?: string;
  afterValue: string;
  /** Behind the last argument. */
  end: string;
}

/**
 * Reads one call. Arguments whose schema says `string` are handed on as they come, without the line
 * breaks that set the value apart from its marks; others once they are complete, as JSON, else as a
 * Python literal, else as the text they are.
 */
export function* readMarkedCall(output: Output, form: MarkedCallForm): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skipAfterSpace(form.beforeName))) return false;
  yield* text.takeSpace();
  const tool = yield* output.readToolName();
  if (tool === undefined || !(yield* text.skipAfterSpace(form.afterName))) return false;
  const call = output.startCall(tool);
  let before = "{";
  while (!(yield* text.skipAfterSpace(form.end))) {
    const key = yield* readKey(text, form);
    if (key === undefined) return false;
    call.addArguments(`${before}${JSON.stringify(key)}: `);
    before = ", ";
    const schema = output.schemaOfArgument(tool, key);
    const isRead = isString(schema)
      ? yield* readStringValue(text, form, call.addArguments)
      : yield* readValue(text, form, schema, call.addArguments);
    if (!isRead) return false;
  }
  call.addArguments(before === "{" ? "{}" : "}");
  call.end();
  return true;
}

function* readKey(text: OutputText, form: MarkedCallForm): Reading<string | undefined> {
  if (!(yield* text.skipAfterSpace(form.beforeKey))) return undefined;
  const key = yield* readUntil(text, form.afterKey);
  if (key === undefined) return undefined;
  const isComplete =
    form.beforeValue === undefined || (yield* text.skipAfterSpace(form.beforeValue));
  return isComplete ? key.trim() : undefined;
}

/** Reads up to a mark and the mark itself; undefined where it never comes. */
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
  yield* text.skip("\n");
  pass('"');
  const mark = yield* text.passUntil([`\n${form.afterValue}`, form.afterValue], (piece) =>
    pass(JSON.stringify(piece).slice(1, -1)),
  );
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

/** Without a schema a number stays text: it may be a house number or a code. */
function argumentValue(written: string, schema: unknown): unknown {
  const string = written.replace(/^\n/, "").replace(/\n$/, "");
  const value = jsonValue(written.trim()) ?? parseLooseValue(written, pythonNotation);
  const isText = value === undefined || (schema === undefined && typeof value !== "object");
  return isText ? string : value;
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the caller tries what else it could be
  }
}

function isString(schema: unknown): boolean {
  return (
    typeof schema === "object" && schema !== null && "type" in schema && schema.type === "string"
  );
}
