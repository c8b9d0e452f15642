// Rows as text with colours: one string for each.

import chalk, { type ChalkInstance } from "chalk";
import { clipRow } from "../panes/styled-row.ts";
import { splitGraphemes } from "../text/graphemes.ts";
import { joinSpans } from "../text/wrap-spans.ts";
import type { Tone } from "../theme.ts";
import type { Span, StyledRow } from "./screen.ts";
import type { Theme, ToneStyle } from "./themes.ts";

/** Screens neutralise what others wrote; this is for what they overlook. */
const controls = /\p{Cc}/gu;
const ignorable = /\p{Default_Ignorable_Code_Point}/u;
const allIgnorable = /^\p{Default_Ignorable_Code_Point}+$/u;
const trailingBlanks = / +$/;

/**
 * The row as it may be painted: at most `width` cells, nothing that a terminal would obey, nothing that is
 * invisible by itself, neighbours that look alike in one span, no blanks at the end.
 */
export function paintableRow(row: StyledRow, width: number): StyledRow {
  const visible = clipRow(row, width, "").map((span) => {
    const text = visibleText(span.text);
    return text === span.text ? span : { ...span, text };
  });
  // Neighbours that look alike are painted as one: colours are switched on once.
  return withoutBlankEnd(joinSpans(visible));
}

export class RowPainter {
  readonly #tones: ReadonlyMap<Tone, ChalkInstance | undefined>;

  constructor(theme: Theme) {
    const tones = Object.entries(theme) as [Tone, ToneStyle][];
    this.#tones = new Map(tones.map(([tone, style]) => [tone, brushOf(style)]));
  }

  /** @param row as `paintableRow` gives it, or a part of such a row */
  paint(row: StyledRow): string {
    let painted = "";
    for (const span of row) {
      const brush = colored(span, this.#tones.get(span.tone));
      painted += brush === undefined ? span.text : brush(span.text);
    }
    return painted;
  }
}

function visibleText(text: string): string {
  const harmless = text.replaceAll(controls, "");
  if (!ignorable.test(harmless)) return harmless;
  return splitGraphemes(harmless)
    .filter((grapheme) => !allIgnorable.test(grapheme))
    .join("");
}

function withoutBlankEnd(row: StyledRow): StyledRow {
  const last = row.at(-1);
  if (last === undefined || last.tone !== "plain" || last.backgroundColor !== undefined) return row;
  const text = last.text.replace(trailingBlanks, "");
  if (text === last.text) return row;
  return text === "" ? row.slice(0, -1) : [...row.slice(0, -1), { ...last, text }];
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
