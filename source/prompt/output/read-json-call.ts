// Reading of calls that are JSON objects: {"name": …, "arguments": {…}}, alone or in a list.
import type { Output } from "./output.ts";
import type { OutputText, Reading } from "./output-text.ts";
import { readArguments, readJsonString, readJsonText, readWholeArguments } from "./read-json.ts";

const nameKeys = ["name", "tool_name"];
const argumentsKeys = ["arguments", "parameters"];
const otherKeys = ["type", "id", "tool_call_id", "index"];

export interface JsonCallOptions {
  /**
   * No mark announces a call, so the object may also be an answer in JSON: it must have arguments and no
   * key that calls do not have.
   */
  isBare?: boolean;
}

/** Reads `{…}`, `{…} {…}`, `{…}; {…}` or `[{…}, {…}]`; returns false unless the first is a call. */
export function* readJsonCalls(output: Output, options: JsonCallOptions = {}): Reading<boolean> {
  const { text } = output;
  yield* text.takeSpace();
  const isList = yield* text.skip("[");
  if (isList) yield* text.takeSpace();
  if (!(yield* readJsonCall(output, options))) return false;
  while (yield* text.attempt(readNextCall(output, options))) {}
  if (isList) yield* text.skipAfterSpace("]");
  return true;
}

function* readNextCall(output: Output, options: JsonCallOptions): Reading<boolean> {
  const { text } = output;
  yield* text.takeSpace();
  if (!(yield* text.skip(","))) yield* text.skip(";");
  yield* text.takeSpace();
  return yield* readJsonCall(output, options);
}

/**
 * Reads one object, also in the form `{"type": "function", "function": {…}}`. The call counts as soon
 * as its arguments are complete: the rest of the object is skipped, and a missing closing brace is
 * ignored.
 */
function* readJsonCall(output: Output, options: JsonCallOptions): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skip("{"))) return false;
  let name: string | undefined;
  let earlyArguments: string | undefined;
  for (let key = yield* readKey(text); key !== undefined; key = yield* readNextKey(text)) {
    const isNested = key === "function" && (yield* text.startsWith("{"));
    if (isNested) {
      if (!(yield* readJsonCall(output, options))) return false;
      return yield* readRestOfObject(text);
    }
    if (nameKeys.includes(key) || key === "function") {
      name = yield* readJsonString(text);
      if (name === undefined || !output.isTool(name)) return false;
    } else if (!argumentsKeys.includes(key)) {
      if (options.isBare && !otherKeys.includes(key)) return false;
      if ((yield* readJsonText(text)) === undefined) return false;
    } else if (name !== undefined) {
      if (!(yield* readArguments(output, name))) return false;
      return yield* readRestOfObject(text);
    } else {
      earlyArguments = yield* readWholeArguments(text);
      if (earlyArguments === undefined) return false;
    }
    if (name !== undefined && earlyArguments !== undefined) {
      return output.addCall(name, earlyArguments) && (yield* readRestOfObject(text));
    }
  }
  if (!(yield* text.skip("}"))) return false;
  if (name === undefined || options.isBare) return false;
  return output.addCall(name, "{}");
}

/** Reads `"key":` and the white space around it. */
function* readKey(text: OutputText): Reading<string | undefined> {
  yield* text.takeSpace();
  const key = yield* readJsonString(text);
  if (key === undefined || !(yield* text.skipAfterSpace(":"))) return undefined;
  yield* text.takeSpace();
  return key;
}

function* readNextKey(text: OutputText): Reading<string | undefined> {
  yield* text.takeSpace();
  return (yield* text.skip(",")) ? yield* readKey(text) : undefined;
}

/** Skips the members after the arguments and the closing brace if they are well-formed. */
function* readRestOfObject(text: OutputText): Reading<boolean> {
  yield* text.attempt(skipRestOfObject(text));
  return true;
}

function* skipRestOfObject(text: OutputText): Reading<boolean> {
  while ((yield* readNextKey(text)) !== undefined) {
    if ((yield* readJsonText(text)) === undefined) return false;
  }
  return yield* text.skip("}");
}
