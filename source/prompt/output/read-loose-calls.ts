// Reading of calls without the marks of the model's format: bare JSON, in fences, in other formats' marks.
import { compactStart, looseArgumentsKeys } from "./compact-start.ts";
import { formatTable } from "./format-table.ts";
import { callTypes, idKeys, nameKeys, parseLooseCall } from "./loose-call.ts";
import type { Output } from "./output.ts";
import type { OutputFormatDefinition } from "./output-format.ts";
import type { OutputText, Reading } from "./output-text.ts";
import type { LooseCallSyntax } from "./read-answer.ts";
import { readJsonCalls } from "./read-json-call.ts";

const tags = ["tool_call", "tool_calls", "function_call", "function_calls", "functioncall"];
const wrappings = [
  "```",
  "[",
  "]",
  ",",
  ";",
  ...[...tags, "tool", "tools", "function"].flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
];

/** Formats whose calls have marks that nothing else begins with, by each of these marks. */
const marked = Object.values<OutputFormatDefinition>(formatTable).flatMap(({ calls }) =>
  (calls?.openings ?? []).filter((mark) => mark.length > 4).map((mark) => ({ mark, calls })),
);
const markTexts = [...new Set(marked.map(({ mark }) => mark))];

/** Texts at which calls may begin anywhere in an answer. */
const openings: readonly string[] = [
  "```",
  "{",
  "[",
  ...new Set([...markTexts, ...wrappings.filter((text) => /^<\w/.test(text))]),
].filter((text, _, all) => !all.some((other) => other !== text && text.startsWith(other)));

/**
 * An answer that begins with the arguments of an offered tool is passed on as it arrives, since a grammar
 * holds it. Anything else counts only if the output consists of calls from there to its end, and is passed
 * on then.
 */
export const looseCalls: LooseCallSyntax = { openings, read };

function* read(output: Output, isAtStart: boolean, frameEnd: string | undefined): Reading<number> {
  const { text } = output;
  const before = output.callsNotRead;
  if (isAtStart && (yield* startsWithCall(output))) {
    if (yield* text.attempt(output.loosely(readStartedCalls(output)))) return 0;
  }
  const start = text.position;
  const seen = { end: start + 1 };
  if (yield* output.undecided(output.loosely(readToTheEnd(output, seen, frameEnd)))) return 0;
  // A rejected call may have been tried in several ways.
  output.callsNotRead = Math.min(output.callsNotRead, before + 1);
  return seen.end - start;
}

function* startsWithCall(output: Output): Reading<boolean> {
  for (;;) {
    const found = compactStart(output.text.ahead, output.looseStarts);
    if (found !== "maybe") return found !== undefined;
    if (!(yield* output.text.more())) return false;
  }
}

function* readStartedCalls(output: Output): Reading<boolean> {
  const { text } = output;
  const isTagged = yield* text.skip("<tool_call>");
  if (!(yield* readJsonCalls(output, { isBare: true }))) return false;
  if (isTagged) yield* text.skipClosing("</tool_call>");
  return true;
}

/**
 * Notes in `seen` how far it read before it failed. Nothing up to there can begin calls that reach the
 * end. Trying again from each mark in between would take quadratic time.
 */
function* readToTheEnd(
  output: Output,
  seen: { end: number },
  frameEnd: string | undefined,
): Reading<boolean> {
  const { text } = output;
  const isRead = yield* readItems(output, frameEnd);
  seen.end = Math.max(seen.end, text.position);
  return isRead;
}

/** Reads calls, and what may stand around them, up to the end of the output or anything else. */
function* readItems(output: Output, frameEnd: string | undefined): Reading<boolean> {
  const { text } = output;
  let hasCalls = false;
  for (;;) {
    yield* text.takeSpace();
    if (text.isOver) return hasCalls;
    const mark = yield* text.oneOf(markTexts);
    if (mark !== undefined && (yield* readMarkedCalls(output, mark))) {
      hasCalls = true;
    } else if (yield* skipWrapping(text, frameEnd)) {
      // Fences and lists may stand around calls in any number.
    } else if (yield* text.lookAhead(beginsCall(output))) {
      const object = yield* readObject(text);
      if (object === undefined) return false;
      const call = parseLooseCall(object, (name) => output.isTool(name));
      if (call === undefined) return false;
      if (!output.addCall(call.name, JSON.stringify(call.arguments))) return false;
      hasCalls = true;
    } else {
      return false;
    }
  }
}

function* readMarkedCalls(output: Output, mark: string): Reading<boolean> {
  for (const format of marked) {
    if (format.mark !== mark || format.calls === undefined) continue;
    if (yield* output.undecided(format.calls.read(output))) return true;
  }
  return false;
}

function* skipWrapping(text: OutputText, frameEnd: string | undefined): Reading<boolean> {
  const all = frameEnd === undefined ? wrappings : [...wrappings, frameEnd];
  const wrapping = yield* text.oneOf(all);
  if (wrapping === undefined) return false;
  text.take(wrapping.length);
  if (wrapping === "```") yield* text.takeWhile(/[\w+-]/);
  return true;
}

/** Reads as much of an object as shows that it is a call; false at the first character that does not fit. */
function* beginsCall(output: Output): Reading<boolean> {
  const { text } = output;
  if (!(yield* text.skip("{"))) return false;
  yield* text.skip("{");
  for (;;) {
    const key = yield* readQuoted(text, [
      ...nameKeys,
      ...looseArgumentsKeys,
      ...idKeys,
      "type",
      ...output.toolNames,
    ]);
    if (key === undefined || !(yield* text.skipAfterSpace(":"))) return false;
    yield* text.takeSpace();
    if (key === "function" && (yield* text.skip("{"))) continue;
    if (nameKeys.includes(key)) return (yield* readQuoted(text, output.toolNames)) !== undefined;
    if (output.isTool(key)) return yield* text.startsWith("{");
    if (looseArgumentsKeys.includes(key)) return (yield* text.oneOf(["{", '"'])) !== undefined;
    if (!(yield* skipMember(text, key))) return false;
    if (!(yield* text.skipAfterSpace(","))) return false;
  }
}

function* skipMember(text: OutputText, key: string): Reading<boolean> {
  if (key === "type") return (yield* readQuoted(text, callTypes)) !== undefined;
  const id = yield* text.takeWhile(/[\w"'-]/);
  return id !== "";
}

/** Reads one of the words in quotes of either kind. */
function* readQuoted(text: OutputText, words: readonly string[]): Reading<string | undefined> {
  yield* text.takeSpace();
  const quoted = yield* text.oneOf(words.flatMap((word) => [`"${word}"`, `'${word}'`]));
  if (quoted === undefined) return undefined;
  text.take(quoted.length);
  return quoted.slice(1, -1);
}

/** Reads up to the brace that closes the first one; returns undefined if it never comes. */
function* readObject(text: OutputText): Reading<string | undefined> {
  let object = "";
  let depth = 0;
  let quote = "";
  let isEscaped = false;
  for (;;) {
    let length = 0;
    for (const character of text.ahead) {
      length += character.length;
      if (isEscaped) isEscaped = false;
      else if (quote !== "") {
        if (character === "\\") isEscaped = true;
        else if (character === quote) quote = "";
      } else if (character === '"' || character === "'") quote = character;
      else if (character === "{" || character === "[") depth += 1;
      else if (character === "}" || character === "]") depth -= 1;
      if (depth === 0) return object + text.take(length);
    }
    object += text.take(length);
    if (!(yield* text.more())) return undefined;
  }
}
