// Arithmetic of rows: how wide they are, a part of one, one in exactly so many cells.

import type { Span, StyledRow } from "../frame/screen.ts";
import { graphemeWidth, splitGraphemes, textWidth } from "../text/graphemes.ts";
import { neutraliseLine } from "../text/neutralise.ts";
import type { Tone } from "../theme.ts";

/** A row of one tone. */
export function textRow(text: string, tone: Tone = "plain"): StyledRow {
  return [{ text, tone }];
}

/** Text that others made, such as a model's name, as a span that the terminal does not obey. */
export function foreignSpan(text: string, tone: Tone, isAscii: boolean): Span {
  return { text: neutraliseLine(text, isAscii).replaceAll("\t", " "), tone };
}

/** Cells of a row. */
export function rowWidth(row: StyledRow): number {
  return row.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** What a row says, without its tones. */
export function plainText(row: StyledRow): string {
  return row.map(({ text }) => text).join("");
}

/** The cells from `from` to before `to`; half of a wide character becomes a blank. */
export function cutRow(row: StyledRow, from: number, to: number): StyledRow {
  const spans: Span[] = [];
  let column = 0;
  for (const span of row) {
    const width = textWidth(span.text);
    if (column + width > from && column < to) {
      spans.push({ ...span, text: cutText(span.text, from - column, to - column) });
    }
    column += width;
  }
  return spans;
}

/** The row in at most `width` cells: cut with a mark where it is longer. */
export function clipRow(row: StyledRow, width: number, ellipsis: string): StyledRow {
  if (rowWidth(row) <= width) return row;
  const mark = ellipsis.slice(0, Math.max(0, width));
  const kept = cutRow(row, 0, Math.max(0, width - textWidth(mark)));
  return [...kept, { text: mark, tone: row.at(-1)?.tone ?? "plain" }];
}

/** The row in exactly `width` cells: cut with a mark, or filled up with blanks. */
export function fitRow(row: StyledRow, width: number, ellipsis: string): StyledRow {
  const clipped = clipRow(row, width, ellipsis);
  const missing = width - rowWidth(clipped);
  if (missing <= 0) return clipped;
  return [...clipped, { text: " ".repeat(missing), tone: "plain" }];
}

/** A row with another one laid over its cells from `x` on. */
export function overlayRow(
  base: StyledRow,
  over: StyledRow,
  x: number,
  width: number,
  ellipsis: string,
): StyledRow {
  const filled = fitRow(base, width, ellipsis);
  const end = x + rowWidth(over);
  return [...cutRow(filled, 0, x), ...over, ...cutRow(filled, end, width)];
}

function cutText(text: string, from: number, to: number): string {
  let column = 0;
  let result = "";
  for (const grapheme of splitGraphemes(text)) {
    const end = column + graphemeWidth(grapheme, column);
    if (column >= from && end <= to) result += grapheme;
    else if (end > from && column < to) {
      result += " ".repeat(Math.min(end, to) - Math.max(column, from));
    }
    column = end;
  }
  return result;
}
