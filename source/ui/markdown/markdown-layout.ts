// Lays out a Markdown message as rows. Finished blocks are laid out once; only the last block of a
// growing message is parsed again.

import { lexer, type Token } from "marked";
import { harmlessText, normaliseLineBreaks } from "../../base/harmless-text.ts";
import type { TextRow } from "../text/text-run.ts";
import { blockRows } from "./block-rows.ts";
import type { CodeStyle } from "./code-rows.ts";
import { textOf } from "./inline-runs.ts";

export class MarkdownLayout {
  readonly #width: number;
  readonly #style: CodeStyle;
  #text = "";
  #isOpen = true;
  #rows: readonly TextRow[] = [];
  /** Length of the text in finished blocks, and their rows. */
  #settledLength = 0;
  #settledRows = 0;

  constructor(width: number, style: CodeStyle) {
    this.#width = width;
    this.#style = style;
  }

  get width(): number {
    return this.#width;
  }

  /** @param isOpen true if more text may come; a longer text is then laid out from its last block on */
  rows(text: string, isOpen: boolean): readonly TextRow[] {
    if (text === this.#text && isOpen === this.#isOpen) return this.#rows;
    if (!text.startsWith(this.#text)) {
      this.#settledLength = 0;
      this.#settledRows = 0;
    }
    this.#text = text;
    this.#isOpen = isOpen;
    // A carriage return at the end may be the first half of a line break.
    const growing = text.slice(this.#settledLength);
    const tail = harmlessText(isOpen ? growing.replace(/\r$/, "") : growing);
    const tokens = lexer(tail, { gfm: true, breaks: true });
    const rows = this.#rows.slice(0, this.#settledRows);
    const open = openFrom(tokens, tail);
    for (const [index, token] of tokens.entries()) {
      if (index === open && index > 0) {
        const lines = tail.slice(0, lengthOf(tokens.slice(0, index))).split("\n").length - 1;
        this.#settledRows = rows.length;
        this.#settledLength = afterLines(text, this.#settledLength, lines);
      }
      rows.push(...blockRows(token, this.#width, this.#style, isOpen && index >= open));
    }
    while (rows.length > this.#settledRows && rows.at(-1)?.length === 0) rows.pop();
    this.#rows = rows;
    return rows;
  }
}

/** Returns the code blocks of a message in order, including those in lists and quotes. */
export function codePieces(text: string): string[] {
  const pieces: string[] = [];
  const visit = (tokens: readonly Token[]): void => {
    for (const token of tokens) {
      if (token.type === "code") pieces.push(textOf(token));
      if ("items" in token && Array.isArray(token.items)) visit(token.items);
      if ("tokens" in token && token.tokens !== undefined) visit(token.tokens);
    }
  };
  visit(lexer(normaliseLineBreaks(text), { gfm: true }));
  return pieces;
}

/** Returns the index of the first block that may still change: the last one that is not blank, or earlier. */
function openFrom(tokens: readonly Token[], tail: string): number {
  // Text that the lexer rewrote cannot be found again: then nothing is settled.
  if (lengthOf(tokens) !== tail.length) return 0;
  let open = Math.max(
    0,
    tokens.findLastIndex(({ type }) => type !== "space"),
  );
  while (open > 0 && !tail.slice(0, lengthOf(tokens.slice(0, open))).endsWith("\n")) open -= 1;
  return open;
}

/** Returns the offset after a number of line breaks of any kind. */
function afterLines(text: string, from: number, count: number): number {
  const breaks = /\r\n?|[\n\u2028\u2029]/g;
  breaks.lastIndex = from;
  for (let line = 0; line < count; line += 1) breaks.exec(text);
  return breaks.lastIndex;
}

function lengthOf(tokens: readonly Token[]): number {
  return tokens.reduce((length, { raw }) => length + raw.length, 0);
}
