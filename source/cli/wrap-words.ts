// Breaks text between words where a terminal would break it inside one.
import { cellWidth } from "./cell-width.ts";

/** Returns lines of at most `width` cells; a longer word has its own line. */
export function wrapWords(text: string, width: number): string[] {
  const wrap = new WordWrap(width);
  return (wrap.push(text) + wrap.end()).split("\n");
}

/** The same for text that comes in pieces: each word is held back until it is whole. */
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
          // Blanks at a line's end are not seen.
          this.#blanks = "";
          this.#column = 0;
          out += piece;
        } else this.#blanks += piece;
      }
    }
    return out;
  }

  /** The word that was held back. */
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
