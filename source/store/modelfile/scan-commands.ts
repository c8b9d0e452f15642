// The grammar of a Modelfile: splits its text into commands with their values.

import { isInvisible, quoteShort } from "../../base/display-text.ts";
import { nearestName } from "../../base/nearest-name.ts";
import { storeErrors } from "../errors.ts";
import { type CommandName, commandExamples, hasKey, toCommandName } from "./command-names.ts";
import { endOfLine, type ModelfileText } from "./modelfile-text.ts";
import { readQuotedValue } from "./quoted-value.ts";

export interface ModelfileCommand {
  name: CommandName;
  /** Offset of the name. */
  at: number;
  /** The parameter's name or the message's role; empty for other commands. */
  key: { text: string; at: number };
  /** `textAt` is the start of its text, after any quotes. */
  value: { text: string; at: number; textAt: number; isQuoted: boolean };
}

/**
 * Yields one command after the other. The grammar is Ollama's (its `parser.ParseFile`, read at
 * version 0.17.4), but values keep characters that Ollama drops: no-break and ideographic spaces,
 * joiners.
 *
 * @throws ProductError `STORE_MODELFILE_COMMAND_UNKNOWN`, `STORE_MODELFILE_VALUE_MISSING`, and
 *   those of `readQuotedValue`
 */
export function* scanCommands(source: ModelfileText): Generator<ModelfileCommand> {
  const { text } = source;
  let at = 0;
  let before: { name: CommandName; end: number } | undefined;
  while (true) {
    while (at < text.length && isInvisible(text.charAt(at))) at += 1;
    if (at === text.length) return;
    if (text.charAt(at) === "#") {
      at = endOfLine(text, at);
      continue;
    }
    const { command, end } = scanCommand(source, at, before);
    yield command;
    before = { name: command.name, end };
    at = end;
  }
}

function scanCommand(
  source: ModelfileText,
  at: number,
  before: { name: CommandName; end: number } | undefined,
): { command: ModelfileCommand; end: number } {
  const { text } = source;
  const written = wordAt(text, at);
  const name = toCommandName(written);
  if (name === undefined) throw unknownCommand(source, at, written, before);
  let valueAt = skipBlanks(source, at + written.length, name);
  const key = { text: hasKey(name) ? wordAt(text, valueAt) : "", at: valueAt };
  if (hasKey(name)) valueAt = skipBlanks(source, valueAt + key.text.length, name);

  const quoteAt = findQuote(text, valueAt);
  if (quoteAt !== undefined) {
    const { value, contentAt, end } = readQuotedValue(source, quoteAt, written);
    const quoted = { text: value, at: quoteAt, textAt: contentAt, isQuoted: true };
    return { command: { name, at, key, value: quoted }, end };
  }
  const end = endOfLine(text, valueAt);
  const [start, stop] = withoutBlanks(text, valueAt, end);
  const value = { text: text.slice(start, stop), at: start, textAt: start, isQuoted: false };
  return { command: { name, at, key, value }, end };
}

function isBlank(character: string): boolean {
  return character === " " || character === "\t";
}

function isLineEnd(character: string): boolean {
  return character === "" || character === "\r" || character === "\n";
}

/** Returns the text up to the next blank or the end of the line. */
function wordAt(text: string, at: number): string {
  let end = at;
  while (!isBlank(text.charAt(end)) && !isLineEnd(text.charAt(end))) end += 1;
  return text.slice(at, end);
}

/** Returns the offset after the blanks that must follow a command's name or key. */
function skipBlanks(source: ModelfileText, at: number, name: CommandName): number {
  let next = at;
  while (isBlank(source.text.charAt(next))) next += 1;
  if (next > at) return next;
  throw valueMissing(source, at, name);
}

export function valueMissing(source: ModelfileText, at: number, name: CommandName) {
  return source.error(storeErrors.modelfileValueMissing, at, {
    message: `${name} has no value on its line.`,
    hint: `Example: ${commandExamples[name]}`,
  });
}

/** Hint for an invalid value that seems to contain a comment. */
export function commentHint(value: string): string | undefined {
  return /\s#/.test(value)
    ? "A # after a value is part of it. Put the comment on its own line."
    : undefined;
}

/** Returns the offset of opening quotes, which invisible characters may precede. */
function findQuote(text: string, valueAt: number): number | undefined {
  let at = valueAt;
  while (isInvisible(text.charAt(at)) && !isLineEnd(text.charAt(at))) at += 1;
  return text.charAt(at) === '"' ? at : undefined;
}

/** Returns the part of a line without surrounding blanks, and invisible characters beyond those. */
function withoutBlanks(text: string, from: number, to: number): [start: number, end: number] {
  let start = from;
  for (let at = from; at < to && isInvisible(text.charAt(at)); at += 1) {
    if (isBlank(text.charAt(at))) start = at + 1;
  }
  let end = to;
  for (let at = to - 1; at >= start && isInvisible(text.charAt(at)); at -= 1) {
    if (isBlank(text.charAt(at))) end = at;
  }
  return [start, end];
}

function unknownCommand(
  source: ModelfileText,
  at: number,
  written: string,
  before: { name: CommandName; end: number } | undefined,
) {
  return source.error(storeErrors.modelfileCommandUnknown, at, {
    message: `${quoteShort(written)} is not a Modelfile command.`,
    hint: unknownHint(source, at, written, before),
  });
}

function unknownHint(
  source: ModelfileText,
  at: number,
  written: string,
  before: { name: CommandName; end: number } | undefined,
): string {
  const glued = toCommandName(/^[A-Za-z]*/.exec(written)?.[0] ?? "");
  if (glued !== undefined) return `Put a space after ${glued}: ${commandExamples[glued]}`;
  const names = Object.keys(commandExamples);
  const nearest = nearestName(written, names);
  if (nearest !== undefined) return `Did you mean ${nearest}?`;
  const list = names.join(", ");
  if (before === undefined) return `Begin the line with one of ${list}, or with # for a comment.`;
  const line = source.positionAt(before.end).line;
  return line < source.positionAt(at).line
    ? `The value of ${before.name} ended on line ${line}; put a value of several lines between """ and """. Commands are ${list}.`
    : `Commands are ${list}.`;
}
