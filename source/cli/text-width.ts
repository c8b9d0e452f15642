// Measures, cuts and wraps text by the columns that a terminal shows.
import { createRequire } from "node:module";

type StringWidth = typeof import("string-width");

const printableAscii = /^[\x20-\x7e]*$/;
const require = createRequire(import.meta.url);
let measure: StringWidth["default"] | undefined;

/** Returns the width of a text. Loads the measuring of other alphabets, 30 ms, only if needed. */
export function cellWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  measure ??= (require("string-width") as StringWidth).default;
  return measure(text);
}

/** Cuts a text to a width, with `…` at its end if something was cut. */
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

/** Returns lines of at most `width` columns; a longer word has its own line. */
export function wrapWords(text: string, width: number): string[] {
  const wrap = new WordWrap(width);
  return (wrap.push(text) + wrap.end()).split("\n");
}

/** Wraps text that arrives in pieces: each word is held back until it is complete. */
export class WordWrap {
  readonly #width: number;
  #column = 0;
  /** Blanks and letters that may still move to the next line. */
  #blanks = "";
  #word = "";

  constructor(width: number) {
    this.#width = width;
  }

  push(text: string): string {
    if (this.#width === Infinity) return text;
    let out = "";
    for (const [piece] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      if (/^\S/.test(piece)) this.#word += piece;
      else {
        out += this.end();
        if (piece === "\n") {
          // Drops blanks at the end of a line.
          this.#blanks = "";
          this.#column = 0;
          out += piece;
        } else this.#blanks += piece;
      }
    }
    return out;
  }

  /** Returns the word that was held back. */
  end(): string {
    if (this.#word === "") return "";
    const blanks = cellWidth(this.#blanks);
    const word = cellWidth(this.#word);
    const isFull = this.#column > 0 && this.#column + blanks + word > this.#width;
    const out = `${isFull ? "\n" : this.#blanks}${this.#word}`;
    this.#column = (isFull ? 0 : this.#column + blanks) + word;
    this.#blanks = "";
    this.#word = "";
    return out;
  }
}
