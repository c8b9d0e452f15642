// Where each row of the editor's text stands, and the cursor in it.

import { graphemeWidth, splitGraphemes } from "../text/graphemes.ts";
import { type WrappedRow, wrapLine } from "../text/wrap-line.ts";

/** A row of the field; offsets count from the start of the whole text. */
export type EditorRow = WrappedRow;

export interface EditorLayout {
  readonly rows: readonly EditorRow[];
  readonly cursorRow: number;
  /** Cells before the cursor in its row, at most the width: it may stand behind a full row. */
  readonly cursorColumn: number;
}

/** Wrapped lines seen lately: typing changes one line of many. */
const lineCache = new Map<string, readonly WrappedRow[]>();
const lineCacheEntriesMaximum = 512;

/** Lays a text out in a field of `width` cells and finds the cursor. */
export function layoutEditor(text: string, cursor: number, width: number): EditorLayout {
  const rows: EditorRow[] = [];
  let lineStart = 0;
  for (const line of text.split("\n")) {
    for (const row of wrapCached(line, width)) {
      rows.push({ start: lineStart + row.start, end: lineStart + row.end, text: row.text });
    }
    lineStart += line.length + 1;
  }
  // At a soft break the cursor belongs to the row that begins there.
  const found = rows.findLastIndex((row) => row.start <= cursor);
  const cursorRow = Math.max(0, found);
  const row = rows[cursorRow];
  const before = row === undefined ? "" : text.slice(row.start, cursor);
  return { rows, cursorRow, cursorColumn: Math.min(width, measureFromStart(before)) };
}

/** The offset in a row that is nearest to a column from the left. */
export function offsetAt(text: string, row: EditorRow, column: number): number {
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

function wrapCached(line: string, width: number): readonly WrappedRow[] {
  const key = `${width}:${line}`;
  const known = lineCache.get(key);
  if (known !== undefined) return known;
  const rows = wrapLine(line, width);
  if (lineCache.size >= lineCacheEntriesMaximum) lineCache.clear();
  lineCache.set(key, rows);
  return rows;
}

function measureFromStart(text: string): number {
  let column = 0;
  for (const grapheme of splitGraphemes(text)) column += graphemeWidth(grapheme, column);
  return column;
}
