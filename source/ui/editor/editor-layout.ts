// Layout of the editor's text: its rows, and the cursor's position.

import { graphemeWidth, isPlain, splitGraphemes, textWidth } from "../../base/graphemes.ts";
import { memoizeLast } from "../../base/memoize-last.ts";
import { type WrappedRow, wrapLine } from "../../base/wrap-line.ts";

export interface EditorLayout {
  /** Rows around the cursor, as many as requested; offsets count from the start of the text. */
  readonly rows: readonly WrappedRow[];
  readonly cursorRow: number;
  /** Cells before the cursor in its row, at most the width: it may follow a full row. */
  readonly cursorColumn: number;
}

/** Longer lines are laid out in pieces, so that a pasted megabyte does not delay keys. */
const segmentLength = 4096;
/** Maximum distance to move a cut so that it falls between two ASCII characters. */
const cutSearchLength = 64;

/** A line of the text, or a piece of a long one. */
interface Segment {
  readonly start: number;
  readonly end: number;
}

/**
 * Lays a text out in a field of `width` cells and finds the cursor.
 * @param reach rows to lay out above and below the cursor. Defaults to all.
 */
export function layoutEditor(
  text: string,
  cursor: number,
  width: number,
  reach = Number.POSITIVE_INFINITY,
): EditorLayout {
  const middle = segmentAt(text, cursor);
  const rows = rowsOf(text, middle, width);
  // At a soft break the cursor belongs to the row that begins there.
  const inMiddle = Math.max(
    0,
    rows.findLastIndex((row) => row.start <= cursor),
  );
  const above: WrappedRow[][] = [];
  let aboveCount = 0;
  for (let at = middle; inMiddle + aboveCount < reach && at.start > 0; ) {
    at = segmentAt(text, at.start - 1);
    const more = rowsOf(text, at, width);
    above.unshift(more);
    aboveCount += more.length;
  }
  let below = rows.length - inMiddle - 1;
  for (let at = middle; below < reach && at.end < text.length; ) {
    at = segmentAt(text, text[at.end] === "\n" ? at.end + 1 : at.end);
    const more = rowsOf(text, at, width);
    rows.push(...more);
    below += more.length;
  }
  const cursorRow = aboveCount + inMiddle;
  const all = [...above.flat(), ...rows];
  const row = all[cursorRow];
  const before = row === undefined ? "" : text.slice(row.start, cursor);
  return { rows: all, cursorRow, cursorColumn: Math.min(width, textWidth(before)) };
}

/** Most rows that a field of several lines shows. */
export const fieldRowsMaximum = 10;

/** Lays out a field of several lines, once for its height and its text. */
export const layoutField = memoizeLast((text: string, cursor: number, width: number) =>
  layoutEditor(text, cursor, width, fieldRowsMaximum),
);

/** Returns the piece that contains an offset; a line break belongs to the piece before it. */
function segmentAt(text: string, offset: number): Segment {
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const newline = text.indexOf("\n", offset);
  const lineEnd = newline === -1 ? text.length : newline;
  let number = Math.floor((offset - lineStart) / segmentLength);
  const cut = (count: number) => cutAt(text, lineStart, lineEnd, count * segmentLength);
  if (cut(number + 1) <= offset && cut(number + 1) < lineEnd) number += 1;
  if (number > 0 && cut(number) === lineEnd) number -= 1;
  return { start: cut(number), end: cut(number + 1) };
}

/** Returns an offset at or shortly before `length` that splits no cluster. */
function cutAt(text: string, lineStart: number, lineEnd: number, length: number): number {
  const wanted = lineStart + length;
  if (length === 0 || wanted >= lineEnd) return Math.min(wanted, lineEnd);
  for (let at = wanted; at > wanted - cutSearchLength; at -= 1) {
    if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  }
  return wanted;
}

function rowsOf(text: string, { start, end }: Segment, width: number): WrappedRow[] {
  return wrapLine(text.slice(start, end), width).map((row) => ({
    start: start + row.start,
    end: start + row.end,
    text: row.text,
  }));
}

/** Returns the offset in a row that is nearest to a column from the left. */
export function offsetAt(text: string, row: WrappedRow, column: number): number {
  let offset = row.start;
  let reached = 0;
  const content = text.slice(row.start, row.end);
  for (const grapheme of splitGraphemes(content)) {
    const next = reached + graphemeWidth(grapheme, reached);
    if (next > column) break;
    // The end of a soft-wrapped row is the start of the next one: stay in this row.
    const isLast = offset + grapheme.length >= row.end;
    const continues = row.end < text.length && text[row.end] !== "\n";
    if (isLast && continues) break;
    offset += grapheme.length;
    reached = next;
  }
  return offset;
}
