// Text measured in grapheme clusters and terminal cells.

import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const printableAscii = /^[\x20-\x7e]*$/;
const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

/** Cells between two tab stops. */
const tabStopCells = 4;

/** Known widths of clusters and short texts: measuring costs much more than a lookup. */
const clusterWidths = new Map<string, number>();
const textWidths = new Map<string, number>();
const knownWidthsMaximum = 4096;
/** About a row of a wide window. */
const knownTextLengthMaximum = 300;

/** Splits a text into grapheme clusters. */
export function splitGraphemes(text: string): string[] {
  if (printableAscii.test(text)) return text.split("");
  if (text.length === 1) return [text];
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Returns the cells of a cluster that starts in `column`; a tab reaches to the next stop. */
export function graphemeWidth(grapheme: string, column: number): number {
  if (grapheme === "\t") return tabStopCells - (column % tabStopCells);
  if (grapheme.length === 1 && grapheme >= " " && grapheme <= "~") return 1;
  return clusterWidths.get(grapheme) ?? learn(clusterWidths, grapheme, stringWidth(grapheme));
}

/** Returns the cells of a one-line text that starts in column 0. */
export function textWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  // Borders and bars are measured again for every frame.
  if (text.length > knownTextLengthMaximum) return measureText(text);
  return textWidths.get(text) ?? learn(textWidths, text, measureText(text));
}

function measureText(text: string): number {
  let column = 0;
  for (const grapheme of splitGraphemes(text)) column += graphemeWidth(grapheme, column);
  return column;
}

function learn(known: Map<string, number>, text: string, width: number): number {
  if (known.size >= knownWidthsMaximum) known.clear();
  known.set(text, width);
  return width;
}

/** Cuts a one-line text to a number of cells, with a mark at the end when something was cut. */
export function truncateText(text: string, width: number, ellipsis: string): string {
  if (textWidth(text) <= width) return text;
  const room = width - textWidth(ellipsis);
  if (room < 0) return ellipsis.slice(0, Math.max(0, width));
  let column = 0;
  let result = "";
  for (const grapheme of splitGraphemes(text)) {
    const next = column + graphemeWidth(grapheme, column);
    if (next > room) break;
    result += grapheme;
    column = next;
  }
  return result + ellipsis;
}

/** Returns the beginning of a text on one line, to quote in a sentence. */
export function shortText(text: string, cells = 60): string {
  return truncateText(text.replace(/\s+/g, " ").trim(), cells, "...");
}

/** Offset of the cluster boundary before `offset`; a line break is a cluster of its own. */
export function previousBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (text[offset - 1] === "\n") return offset - 1;
  const start = safeStart(text, offset - 1);
  let boundary = start;
  for (const part of segmenter.segment(text.slice(start, offset))) boundary = start + part.index;
  return boundary;
}

/** Offset of the cluster boundary after `offset`. */
export function nextBoundary(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (text[offset] === "\n") return offset + 1;
  const rest = text.slice(offset, safeEnd(text, offset + 1));
  const first = segmenter.segment(rest)[Symbol.iterator]().next();
  return first.done ? offset + 1 : offset + first.value.segment.length;
}

/** The boundary at or before `offset`: an insertion may have joined its neighbours. */
export function snapToBoundary(text: string, offset: number): number {
  const bounded = Math.min(Math.max(0, offset), text.length);
  const start = safeStart(text, bounded);
  const part = segmenter
    .segment(text.slice(start, safeEnd(text, bounded)))
    .containing(bounded - start);
  return part === undefined ? bounded : start + part.index;
}

/**
 * Returns a cluster boundary at or shortly before an offset: between two ASCII characters, or at the
 * start of a line. Segmenting a long line as a whole would slow down every key.
 */
function safeStart(text: string, offset: number): number {
  for (let at = offset; at > 0; at -= 1) {
    if (text[at - 1] === "\n") return at;
    if (at < offset && isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  }
  return 0;
}

/** Returns a cluster boundary after an offset, in the same way. */
function safeEnd(text: string, offset: number): number {
  for (let at = offset; at < text.length; at += 1) {
    if (text[at] === "\n") return at;
    if (at > offset && isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  }
  return text.length;
}

/** True for a printable ASCII character, by its code. */
export function isPlain(code: number): boolean {
  return code >= 0x20 && code <= 0x7e;
}

/** Start of the word before `offset`, past blanks and line breaks. */
export function previousWord(text: string, offset: number): number {
  return wordEdge(text, offset, previousBoundary);
}

/** End of the word after `offset`, past blanks and line breaks. */
export function nextWord(text: string, offset: number): number {
  return wordEdge(text, offset, nextBoundary);
}

/** Steps over blanks, and then over neighbours of the same kind. */
function wordEdge(
  text: string,
  offset: number,
  step: (text: string, offset: number) => number,
): number {
  let at = offset;
  let kind: string | undefined;
  for (let next = step(text, at); next !== at; next = step(text, at)) {
    const passed = kindOf(text.slice(Math.min(at, next), Math.max(at, next)));
    if (kind !== undefined && passed !== kind) break;
    if (passed !== "blank") kind = passed;
    at = next;
  }
  return at;
}

function kindOf(grapheme: string): "blank" | "word" | "sign" {
  if (/\s/.test(grapheme)) return "blank";
  return wordCharacter.test(grapheme) ? "word" : "sign";
}
