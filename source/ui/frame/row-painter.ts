// Rows as text with colours: one string for each.

import chalk, { type ChalkInstance } from "chalk";
import { clipRow } from "../panes/styled-row.ts";
import type { Tone } from "../theme.ts";
import type { Span, StyledRow } from "./screen.ts";
import type { Theme, ToneStyle } from "./themes.ts";

/** Screens neutralise what others wrote; this is for what they overlook. */
const controls = /\p{Cc}/gu;

export class RowPainter {
  readonly #tones: ReadonlyMap<Tone, ChalkInstance | undefined>;

  constructor(theme: Theme) {
    const tones = Object.entries(theme) as [Tone, ToneStyle][];
    this.#tones = new Map(tones.map(([tone, style]) => [tone, brushOf(style)]));
  }

  /** At most `width` cells, and nothing that a terminal would obey but its own colours. */
  paint(row: StyledRow, width: number): string {
    let painted = "";
    for (const span of joinAlike(clipRow(row, width, ""))) {
      const text = span.text.replaceAll(controls, "");
      const brush = colored(span, this.#tones.get(span.tone));
      painted += brush === undefined || text === "" ? text : brush(text);
    }
    return painted;
  }
}

/** Neighbours that look alike are painted as one: colours are switched on once. */
function joinAlike(row: StyledRow): StyledRow {
  const joined: Span[] = [];
  for (const span of row) {
    const last = joined.at(-1);
    const isAlike =
      last?.tone === span.tone &&
      last.color === span.color &&
      last.backgroundColor === span.backgroundColor;
    if (isAlike) joined[joined.length - 1] = { ...last, text: last.text + span.text };
    else joined.push(span);
  }
  return joined;
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
