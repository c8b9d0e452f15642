// Rows as text with colours: one string for each, so that Ink's tree has one node for each.

import chalk, { type ChalkInstance } from "chalk";
import type { Tone } from "../theme.ts";
import type { Span, StyledRow } from "./screen.ts";
import type { Theme, ToneStyle } from "./themes.ts";

export class RowPainter {
  readonly #tones: ReadonlyMap<Tone, ChalkInstance | undefined>;
  /** A row is never changed: what it looks like is kept as long as it is. */
  readonly #painted = new WeakMap<StyledRow, string>();

  constructor(theme: Theme) {
    const tones = Object.entries(theme) as [Tone, ToneStyle][];
    this.#tones = new Map(tones.map(([tone, style]) => [tone, brushOf(style)]));
  }

  /** Never empty: a text without a character would take no row. */
  paint(row: StyledRow): string {
    const known = this.#painted.get(row);
    if (known !== undefined) return known;
    let text = "";
    for (const span of row) {
      const brush = colored(span, this.#tones.get(span.tone));
      text += brush === undefined || span.text === "" ? span.text : brush(span.text);
    }
    const painted = text === "" ? " " : text;
    this.#painted.set(row, painted);
    return painted;
  }
}

/** A picture's cell has colours of its own. */
function colored(
  { color, backgroundColor }: Span,
  brush: ChalkInstance | undefined,
): ChalkInstance | undefined {
  if (color === undefined && backgroundColor === undefined) return brush;
  const front = color === undefined ? (brush ?? chalk) : (brush ?? chalk).hex(color);
  return backgroundColor === undefined ? front : front.bgHex(backgroundColor);
}

function brushOf(style: ToneStyle): ChalkInstance | undefined {
  const { color, bold, dim, inverse, underline, italic, strikethrough } = style;
  let brush: ChalkInstance = chalk;
  if (color !== undefined) brush = brush[color];
  if (bold) brush = brush.bold;
  if (dim) brush = brush.dim;
  if (inverse) brush = brush.inverse;
  if (underline) brush = brush.underline;
  if (italic) brush = brush.italic;
  if (strikethrough) brush = brush.strikethrough;
  return brush === chalk ? undefined : brush;
}
