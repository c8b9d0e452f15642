// Cuts a line so that a terminal does not wrap it.
import stringWidth from "string-width";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The longest beginning of a text that takes at most so many columns, with `…` where it was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = "";
  let taken = 1;
  for (const { segment } of graphemes.segment(text)) {
    taken += stringWidth(segment);
    if (taken > columns) break;
    cut += segment;
  }
  return columns < 1 ? "" : `${cut}…`;
}
