// Breaks a line of spans into rows, as `wrapLine` breaks a text.

import type { Span, StyledRow } from "../frame/screen.ts";
import { type WrapMode, wrapLine } from "../text/wrap-line.ts";

/** At least one row; the spans hold no line breaks and no tabs. */
export function wrapSpans(
  spans: readonly Span[],
  width: number,
  mode: WrapMode = "word",
): StyledRow[] {
  const text = spans.map((span) => span.text).join("");
  const rows: StyledRow[] = [];
  let index = 0;
  /** Offset of the span at `index` in the whole text. */
  let offset = 0;
  for (const row of wrapLine(text, width, mode)) {
    const end = row.start + row.text.length;
    const pieces: Span[] = [];
    for (let at = index, from = offset; at < spans.length && from < end; at += 1) {
      const span = spans[at];
      if (span === undefined) break;
      const piece = span.text.slice(Math.max(0, row.start - from), end - from);
      if (piece !== "") pieces.push({ ...span, text: piece });
      from += span.text.length;
      if (from <= row.end) {
        index = at + 1;
        offset = from;
      }
    }
    rows.push(pieces);
  }
  return rows;
}

/** Spans of one line, those of one look side by side made one. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (span.text === "") continue;
    if (
      last !== undefined &&
      last.tone === span.tone &&
      last.color === span.color &&
      last.backgroundColor === span.backgroundColor
    ) {
      joined[joined.length - 1] = { ...last, text: last.text + span.text };
    } else joined.push(span);
  }
  return joined;
}
