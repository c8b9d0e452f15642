// Breaks one line of text into rows of a given width, for the transcript and for the editor.

import { graphemeWidth, splitGraphemes } from "./graphemes.ts";

/** A row of a wrapped line. Offsets count UTF-16 units of the line. */
export interface WrappedRow {
  /** Offset of the first unit of this row. */
  readonly start: number;
  /** Offset after the last unit, including blanks that hang over the edge. */
  readonly end: number;
  /** The text to draw: tabs are blanks here. Never wider than the width asked for. */
  readonly text: string;
}

/** `word` breaks after blanks and around wide characters, `hard` only at full rows. */
export type WrapMode = "word" | "hard";

/** A possible end of a row. */
interface BreakPoint {
  readonly cell: number;
  readonly offset: number;
  readonly text: string;
}

/**
 * Wraps a line without line breaks. There is always at least one row, and a character that is wider
 * than the width has its own row.
 */
export function wrapLine(line: string, width: number, mode: WrapMode = "word"): WrappedRow[] {
  const cells = splitGraphemes(line);
  const rows: WrappedRow[] = [];
  let cell = 0;
  let offset = 0;
  do {
    const row = takeRow(cells, cell, offset, Math.max(1, width), mode);
    rows.push({ start: offset, end: row.offset, text: row.text });
    cell = row.cell;
    offset = row.offset;
  } while (cell < cells.length);
  return rows;
}

function takeRow(
  cells: readonly string[],
  firstCell: number,
  firstOffset: number,
  width: number,
  mode: WrapMode,
): BreakPoint {
  let cell = firstCell;
  let offset = firstOffset;
  let column = 0;
  let text = "";
  let lastBreak: BreakPoint | undefined;
  // No break after indentation alone: the row would be empty.
  let hasInk = false;
  while (cell < cells.length) {
    const grapheme = cells[cell] ?? "";
    const isBlank = grapheme === " " || grapheme === "\t";
    const cellWidth = graphemeWidth(grapheme, column);
    const isWide = cellWidth === 2 && !isBlank;
    if (mode === "word" && isWide && hasInk) lastBreak = { cell, offset, text };
    if (column + cellWidth > width && column > 0) {
      if (mode === "word" && isBlank) return skipBlanks(cells, { cell, offset, text });
      return lastBreak ?? { cell, offset, text };
    }
    text += grapheme === "\t" ? " ".repeat(Math.min(cellWidth, width)) : grapheme;
    column += cellWidth;
    offset += grapheme.length;
    cell += 1;
    hasInk ||= !isBlank;
    if (mode === "word" && hasInk && (isBlank || isWide)) lastBreak = { cell, offset, text };
  }
  return { cell, offset, text };
}

/** Blanks at the edge belong to the row that they end, as in every text editor. */
function skipBlanks(cells: readonly string[], edge: BreakPoint): BreakPoint {
  let { cell, offset } = edge;
  while (cells[cell] === " " || cells[cell] === "\t") {
    cell += 1;
    offset += 1;
  }
  return { cell, offset, text: edge.text };
}
