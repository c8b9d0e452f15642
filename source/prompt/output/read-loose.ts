// Reading of arguments that are written one by one in a notation close to JSON.

import { type LooseNotation, parseLooseValue } from "./loose-value.ts";
import type { StartedCall } from "./output.ts";
import type { OutputText, Reading } from "./output-text.ts";

/** Notation of a list of named arguments. */
export interface ArgumentList {
  notation: LooseNotation;
  /** Separators of a name and its value. */
  separators: readonly string[];
  /** Mark after the last argument. */
  close: string;
}

/**
 * Reads `name = value, …` up to and including the closing mark and passes each argument on once it is
 * complete. Returns false for anything else.
 */
export function* readArgumentList(
  text: OutputText,
  list: ArgumentList,
  call: StartedCall,
): Reading<boolean> {
  let before = "{";
  while (!(yield* text.skipAfterSpace(list.close))) {
    yield* text.takeSpace();
    if (before !== "{" && !(yield* text.skip(","))) return false;
    const name = yield* readUntilAny(text, list, [...list.separators, list.close, ","]);
    const separator = yield* text.oneOf(list.separators);
    if (name === undefined || separator === undefined) return false;
    text.take(separator.length);
    const written = yield* readUntilAny(text, list, [",", list.close]);
    const value = written === undefined ? undefined : parseLooseValue(written, list.notation);
    if (name === undefined || value === undefined) return false;
    call.addArguments(`${before}${JSON.stringify(unquoted(name))}: ${JSON.stringify(value)}`);
    before = ", ";
  }
  call.addArguments(before === "{" ? "{}" : "}");
  return call.end();
}

/** Reads up to one of the marks outside strings and brackets; returns undefined at the end. */
function* readUntilAny(
  text: OutputText,
  { notation }: ArgumentList,
  marks: readonly string[],
): Reading<string | undefined> {
  let read = "";
  let depth = 0;
  for (;;) {
    if (text.ahead === "" && !(yield* text.more())) return undefined;
    const quote = yield* text.oneOf(notation.quotes);
    if (quote !== undefined) {
      const string = yield* readQuoted(text, quote, notation.hasEscapes);
      if (string === undefined) return undefined;
      read += string;
    } else if (depth === 0 && (yield* text.oneOf(marks)) !== undefined) {
      return read.trim();
    } else {
      const character = text.take(1);
      if ("[({".includes(character)) depth += 1;
      if ("])}".includes(character)) depth -= 1;
      read += character;
    }
  }
}

function* readQuoted(
  text: OutputText,
  quote: string,
  hasEscapes: boolean,
): Reading<string | undefined> {
  let read = text.take(quote.length);
  for (;;) {
    const mark = yield* text.passUntil(hasEscapes ? [quote, "\\"] : [quote], (piece) => {
      read += piece;
    });
    if (mark === undefined) return undefined;
    read += text.take(mark.length);
    if (mark === quote) return read;
    if (text.ahead === "" && !(yield* text.more())) return undefined;
    read += text.take(1);
  }
}

function unquoted(name: string): string {
  return /^(["']).*\1$/.test(name) ? name.slice(1, -1) : name;
}
