// Cuts a line so that a terminal does not wrap it.
import { cellWidth } from "./cell-width.ts";

/** The longest beginning of a text that takes at most so many columns, with `…` where it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (cellWidth(text) <= columns) return text;
  let cut = "";
  let taken = 1;
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of graphemes.segment(text)) {
    taken += cellWidth(segment);
    if (taken > columns) break;
    cut += segment;
  }
  return columns < 1 ? "" : `${cut}…`;
}
