// A table of fixed columns: which of them fit, and its rows.

import type { Span, StyledRow } from "../frame/screen.ts";
import { textWidth } from "../text/graphemes.ts";
import type { Glyphs, Tone } from "../theme.ts";
import { fitRow } from "./styled-row.ts";

export interface Column<Item> {
  readonly title: string;
  readonly width: number;
  readonly align?: "left" | "right";
  /** Takes the cells that are left over. One column at most. */
  readonly isFlexible?: boolean;
  /** Columns with a smaller number stay longer in a narrow table. Defaults to 0. */
  readonly rank?: number;
  readonly cell: (item: Item) => Span;
}

const gap: Span = { text: " ", tone: "plain" };

/** The columns that fit, and their widths. */
export function fitColumns<Item>(
  columns: readonly Column<Item>[],
  width: number,
): readonly Column<Item>[] {
  let kept = [...columns];
  const used = () => kept.reduce((sum, column) => sum + column.width + 1, -1);
  while (used() > width && kept.length > 1) {
    const worst = Math.max(...kept.map(({ rank = 0 }) => rank));
    const at = kept.findLastIndex(({ rank = 0 }) => rank === worst);
    kept = kept.toSpliced(at, 1);
  }
  const spare = width - used();
  return kept.map((column) =>
    column.isFlexible ? { ...column, width: Math.max(1, column.width + spare) } : column,
  );
}

export function headerRow<Item>(columns: readonly Column<Item>[], glyphs: Glyphs): StyledRow {
  return joinCells(columns, ({ title }) => ({ text: title, tone: "dim" }), glyphs);
}

/** @param tone in place of the cells' own, such as that of a selected row */
export function tableRow<Item>(
  columns: readonly Column<Item>[],
  item: Item,
  glyphs: Glyphs,
  tone?: Tone,
): StyledRow {
  return joinCells(
    columns,
    ({ cell }) => (tone === undefined ? cell(item) : { ...cell(item), tone }),
    glyphs,
  );
}

function joinCells<Item>(
  columns: readonly Column<Item>[],
  spanOf: (column: Column<Item>) => Span,
  glyphs: Glyphs,
): StyledRow {
  return columns.flatMap((column, index) => {
    const span = spanOf(column);
    const padding = Math.max(0, column.width - textWidth(span.text));
    const aligned: StyledRow =
      column.align === "right" ? [{ text: " ".repeat(padding), tone: "plain" }, span] : [span];
    const cells = fitRow(aligned, column.width, glyphs.ellipsis);
    return index === 0 ? [...cells] : [gap, ...cells];
  });
}
