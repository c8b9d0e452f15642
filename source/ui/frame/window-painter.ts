// Paints pictures over the whole window, in one piece of bytes each: only what does not stand there yet.

import { type RowChange, rowChange, wholeRow } from "./row-change.ts";
import { paintableRow, type RowPainter } from "./row-painter.ts";
import type { ScreenPicture } from "./screen.ts";

/**
 * A picture is shown when it is whole (mode 2026, where it is known), without its cursor (25) until then, and a
 * row never goes on in the next one (7): terminals do not agree on the width of every character.
 */
const begin = "\u001b[?2026h\u001b[?25l\u001b[?7l";
const end = "\u001b[?7h\u001b[?2026l";
const showCursor = "\u001b[?25h";
const eraseToEnd = "\u001b[K";

/** A picture for exactly one window, and what gives it its colours. */
export interface WindowPicture extends ScreenPicture {
  readonly columns: number;
  readonly painter: RowPainter;
}

/** Nobody else may write while its pictures are in sight, unless `forget` is called afterwards. */
export class WindowPainter {
  readonly #write: (bytes: string) => void;
  /** What is in sight; undefined when that is not known. */
  #shown: WindowPicture | undefined;

  constructor(write: (bytes: string) => void) {
    this.#write = write;
  }

  /** Something else may stand in the window: the next picture is painted whole. */
  forget(): void {
    this.#shown = undefined;
  }

  /** @param picture with a row for each of the window's */
  paint(picture: WindowPicture): void {
    const { columns, painter, cursor } = picture;
    const rows = picture.rows.map((row) => paintableRow(row, columns));
    const shown = this.#comparable(picture);
    this.#shown = { ...picture, rows };
    const changes = rows.map((row, y) => {
      const before = shown?.rows[y];
      const change = before === undefined ? wholeRow(row) : rowChange(before, row);
      if (change === undefined) return "";
      // Behind the last cell there is none to go to.
      return bytesOf(change.column < columns ? change : wholeRow(row), painter, y);
    });
    const bytes = changes.join("");
    const isSameCursor = shown?.cursor?.x === cursor?.x && shown?.cursor?.y === cursor?.y;
    if (shown !== undefined && bytes === "" && isSameCursor) return;
    const at = cursor === undefined ? "" : moveTo(cursor.x, cursor.y) + showCursor;
    this.#write(begin + bytes + at + end);
  }

  /** The picture in sight, where the new one differs from it in rows alone. */
  #comparable({ columns, painter, rows }: WindowPicture): WindowPicture | undefined {
    const shown = this.#shown;
    const isAlike =
      shown?.columns === columns && shown.painter === painter && shown.rows.length === rows.length;
    return isAlike ? shown : undefined;
  }
}

function bytesOf({ column, spans, keepsRest }: RowChange, painter: RowPainter, y: number): string {
  // Erased first: a terminal that has written the last cell of a row would erase that cell.
  const erase = keepsRest ? "" : eraseToEnd;
  return moveTo(column, y) + erase + painter.paint(spans);
}

/** Both counted from 0. */
function moveTo(x: number, y: number): string {
  return `\u001b[${y + 1};${x + 1}H`;
}
