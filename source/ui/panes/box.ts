// A box with a title: borders drawn as text, since every node of Ink's tree costs time per frame.

import type { Span, StyledRow } from "../frame/screen.ts";
import { textWidth, truncateText } from "../text/graphemes.ts";
import type { Glyphs } from "../theme.ts";
import { fitRow } from "./styled-row.ts";

export interface BoxOptions {
  readonly width: number;
  /** Of the whole box, borders included. */
  readonly height: number;
  readonly glyphs: Glyphs;
  readonly title?: string;
  /** At the right end of the lower border. */
  readonly footer?: string;
  /** The pane that takes the keys has a brighter border. */
  readonly isFocused?: boolean;
}

/** Cells inside a box of this width: the border and one blank on each side. */
export function innerWidth(width: number): number {
  return Math.max(0, width - 4);
}

/** Rows inside a box of this height. */
export function innerHeight(height: number): number {
  return Math.max(0, height - 2);
}

/** Exactly `height` rows of exactly `width` cells; content that does not fit is cut. */
export function drawBox(content: readonly StyledRow[], options: BoxOptions): StyledRow[] {
  const { width, height, glyphs, title = "", footer = "", isFocused = false } = options;
  const tone = isFocused ? "focus" : "border";
  const { topLeft, topRight, bottomLeft, bottomRight, vertical } = glyphs.box;
  const side: Span = { text: vertical, tone };
  const inner = innerWidth(width);
  const rows: StyledRow[] = [border(topLeft, topRight, title, true, options, tone)];
  for (let index = 0; index < innerHeight(height); index += 1) {
    const row = fitRow(content[index] ?? [], inner, glyphs.ellipsis);
    const blank: Span = { text: " ", tone: "plain" };
    rows.push([side, blank, ...row, blank, side]);
  }
  rows.push(border(bottomLeft, bottomRight, footer, false, options, tone));
  return rows;
}

function border(
  left: string,
  right: string,
  label: string,
  isTop: boolean,
  { width, glyphs, isFocused = false }: BoxOptions,
  tone: "border" | "focus",
): StyledRow {
  const { horizontal } = glyphs.box;
  const room = width - 2;
  if (label === "" || room < 5)
    return [{ text: left + horizontal.repeat(Math.max(0, room)) + right, tone }];
  const shown = ` ${truncateText(label, Math.max(0, room - 4), glyphs.ellipsis)} `;
  const rest = Math.max(0, room - 1 - textWidth(shown));
  const [before, after] = isTop ? [1, rest] : [rest, 1];
  return [
    { text: left + horizontal.repeat(before), tone },
    { text: shown, tone: isTop && isFocused ? "title" : "dim" },
    { text: horizontal.repeat(after) + right, tone },
  ];
}

/** Blocks of rows side by side, `gap` cells apart; each block's rows are as wide as one another. */
export function besides(
  left: readonly StyledRow[],
  right: readonly StyledRow[],
  leftWidth: number,
  ellipsis: string,
): StyledRow[] {
  const height = Math.max(left.length, right.length);
  return Array.from({ length: height }, (_, index) => [
    ...fitRow(left[index] ?? [], leftWidth, ellipsis),
    ...(right[index] ?? []),
  ]);
}
