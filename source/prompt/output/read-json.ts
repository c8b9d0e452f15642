// Reading of JSON in an output: a value, a string, the arguments of a call.
import { JsonScanner } from "./json-scanner.ts";
import type { Output } from "./output.ts";
import type { OutputText, Reading } from "./output-text.ts";

/**
 * Reads one JSON value, passing its text on as it arrives.
 *
 * @returns false if the text is not JSON or ends before the value does
 */
export function* readJsonValue(text: OutputText, pass: (json: string) => void): Reading<boolean> {
  const scanner = new JsonScanner();
  for (;;) {
    const { length, json } = scanner.scan(text.ahead);
    text.take(length);
    if (json !== "") pass(json);
    if (scanner.state !== "open") return scanner.state === "complete";
    if (!(yield* text.more())) return scanner.finish() === "complete";
  }
}

/** Reads one JSON value as a whole. Returns its text, or undefined. */
export function* readJsonText(text: OutputText): Reading<string | undefined> {
  let json = "";
  const isComplete = yield* readJsonValue(text, (piece) => {
    json += piece;
  });
  return isComplete ? json : undefined;
}

/** Reads a JSON string; returns undefined if none follows. */
export function* readJsonString(text: OutputText): Reading<string | undefined> {
  if (!(yield* text.startsWith('"'))) return undefined;
  const json = yield* readJsonText(text);
  return json === undefined ? undefined : JSON.parse(json);
}

/**
 * Reads the arguments of a call and passes them on as they arrive. Models also write them as a string
 * that contains JSON, or as `null` for none.
 *
 * @returns false unless an object follows that is accepted
 */
export function* readArguments(output: Output, name: string): Reading<boolean> {
  const { text } = output;
  yield* text.takeSpace();
  if (!(yield* text.startsWith("{"))) {
    const json = yield* readWholeArguments(text);
    return json !== undefined && output.addCall(name, json);
  }
  const call = output.startCall(name);
  if (!(yield* readJsonValue(text, call.addArguments))) return false;
  return call.end();
}

/** Reads arguments whose tool is not known yet. Returns the text of an object, or undefined. */
export function* readWholeArguments(text: OutputText): Reading<string | undefined> {
  if ((yield* text.oneOf(["{", '"', "null"])) === undefined) return undefined;
  const json = yield* readJsonText(text);
  if (json === undefined || json.startsWith("{")) return json;
  const inner: unknown = JSON.parse(json);
  if (inner === null || inner === "") return "{}";
  return typeof inner === "string" ? objectText(inner) : undefined;
}

function objectText(text: string): string | undefined {
  const scanner = new JsonScanner();
  const trimmed = text.trim();
  const { length, json } = scanner.scan(trimmed);
  const isObject =
    scanner.state === "complete" && length === trimmed.length && json.startsWith("{");
  return isObject ? json : undefined;
}
