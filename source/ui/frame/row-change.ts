// What is to be painted of a row where another one stands already.

import { rowWidth } from "../panes/styled-row.ts";
import { textWidth } from "../text/graphemes.ts";
import type { Span, StyledRow } from "./screen.ts";

export interface RowChange {
  /** The first cell that is painted. */
  readonly column: number;
  readonly spans: StyledRow;
  /** What stands behind the spans stays; else the row ends with them. */
  readonly keepsRest: boolean;
}

/** One cell wide on every terminal: ASCII, borders and blocks. Of other characters they think differently. */
const everywhereOneCell = /^[\x20-\x7e\u2500-\u259f]*$/;
const ascii = /^[\x20-\x7e]*$/;

/** The row where it is not known what stands there. */
export function wholeRow(spans: StyledRow): RowChange {
  return { column: 0, spans, keepsRest: false };
}

/** Undefined where both rows look the same. */
export function rowChange(before: StyledRow, after: StyledRow): RowChange | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start += 1;
  if (start === before.length && start === after.length) return undefined;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end), after.at(-1 - end))) end += 1;
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  // What follows stays only where it stands in the same cells.
  const keepsRest = rowWidth(old) === rowWidth(fresh) && [...old, ...fresh].every(isOneCell);
  const spans = keepsRest ? fresh : after.slice(start);
  const column = rowWidth(after.slice(0, start));
  return withoutCommonEnds(old, { column, spans, keepsRest });
}

/** Of a span that only changed its text, what did not change stays too. */
function withoutCommonEnds(old: StyledRow, change: RowChange): RowChange {
  const [span, ...rest] = change.spans;
  const [was] = old;
  if (span === undefined || was === undefined || !isAlike(span, was)) return change;
  const start = commonStart(was.text, span.text);
  const column = change.column + textWidth(span.text.slice(0, start));
  let text = span.text.slice(start);
  if (change.keepsRest && old.length === 1 && rest.length === 0) {
    text = text.slice(0, text.length - commonEnd(was.text.slice(start), text));
  }
  return { ...change, column, spans: [{ ...span, text }, ...rest] };
}

/** Between two ASCII characters nothing joins them: there a text may be taken apart. */
function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  while (length > 0 && !(isAsciiAround(a, length) && isAsciiAround(b, length))) length -= 1;
  return length;
}

/** Both have one cell for each character. */
function commonEnd(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.at(-1 - length) === b.at(-1 - length)) {
    length += 1;
  }
  return length;
}

function isAsciiAround(text: string, at: number): boolean {
  return ascii.test(text.slice(at - 1, at + 1));
}

function isOneCell({ text }: Span): boolean {
  return everywhereOneCell.test(text);
}

function isSame(a: Span | undefined, b: Span | undefined): boolean {
  return a !== undefined && b !== undefined && a.text === b.text && isAlike(a, b);
}

function isAlike(a: Span, b: Span): boolean {
  return a.tone === b.tone && a.color === b.color && a.backgroundColor === b.backgroundColor;
}
