// Table: columns that fit its width, and one `Text` for each visible row.

import { Box } from "ink";
import type { ReactElement } from "react";
import { fitRuns, harmlessRun, runsText, runsWidth, type TextRun } from "../text/text-run.ts";
import { glyphs, type Tone } from "../theme.ts";
import { Line } from "./line.tsx";

export interface Column<Item> {
  readonly title: string;
  /** Cells. A flexible column keeps at least so many: others are dropped for it. */
  readonly width: number;
  readonly align?: "left" | "right";
  /** Takes the cells that are left over. One column at most. */
  readonly isFlexible?: boolean;
  /** A narrow table drops the columns with the largest rank first, and never those with 0. Defaults to 0. */
  readonly rank?: number;
  /** Replaced by the note in rows that have one. */
  readonly yieldsToNote?: boolean;
  /**
   * @param width cells of the column in this table
   * @returns runs that may hold untrusted text
   */
  cell(item: Item, width: number): TextRun | readonly TextRun[];
  /**
   * Describes the cell for screen readers, which skip columns without it.
   *
   * @param text the cell's text; empty for `-`
   * @returns an empty text for nothing to say
   */
  spoken?(text: string, item: Item): string;
}

/** Returns a column of figures; unknown ones are `-`. */
export function figureColumn<Item, Value>(
  [title, width, rank]: readonly [title: string, width: number, rank: number],
  format: (value: Value) => string,
  figureOf: (item: Item) => Value | undefined,
  spoken: NonNullable<Column<Item>["spoken"]> = () => "",
): Column<Item> {
  const cell = (item: Item): TextRun => {
    const value = figureOf(item);
    return value === undefined
      ? { text: "-", tone: "dim" }
      : { text: format(value), tone: "plain" };
  };
  return { title, width, rank, align: "right", yieldsToNote: true, cell, spoken };
}

/** Describes an item in words for screen readers, from the columns that have some. */
export function spokenRow<Item>(columns: readonly Column<Item>[], item: Item): string {
  const parts = columns.map((column) => {
    if (column.spoken === undefined) return "";
    const text = runsText(runsOf(column, item)).trim();
    return column.spoken(text === "-" ? "" : text, item);
  });
  return parts.filter((part) => part !== "").join(", ");
}

export interface TableProps<Item> {
  readonly columns: readonly Column<Item>[];
  /** All items; those around the selected one are drawn. */
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** Index of the selected item, which has a marker; -1 for none. */
  readonly selected: number;
  readonly width: number;
  /** Rows, with the header. */
  readonly height: number;
  /** The table has the focus. Defaults to true. */
  readonly isFocused?: boolean;
  /** Takes the place of the columns that yield to it, such as the reason of a failure. */
  readonly noteOf?: (item: Item) => TextRun | undefined;
  /** Dims every cell, whatever its tone: the figures are old. */
  readonly isDim?: boolean;
}

const gap: TextRun = { text: " ", tone: "plain" };
/** Cells in front of the rows. */
export const markerWidth = 2;
const headerRows = 1;

/** The columns that fit into `width` cells, with their widths. */
function fitColumns<Item>(
  columns: readonly Column<Item>[],
  width: number,
): readonly Column<Item>[] {
  let kept = [...columns];
  const used = () => kept.reduce((sum, column) => sum + column.width + 1, -1);
  while (used() > width) {
    const worst = Math.max(...kept.map(({ rank = 0 }) => rank));
    if (worst === 0) break;
    const at = kept.findLastIndex(({ rank = 0 }) => rank === worst);
    kept = kept.toSpliced(at, 1);
  }
  const spare = width - used();
  return kept.map((column) =>
    column.isFlexible ? { ...column, width: Math.max(1, column.width + spare) } : column,
  );
}

/** Returns at most `height` rows of a list, with the selected one in the middle if possible. */
export function rowsAround<Item>(
  items: readonly Item[],
  selectedIndex: number,
  height: number,
): readonly Item[] {
  const wanted = Math.min(selectedIndex - Math.floor(height / 2), items.length - height);
  const top = Math.max(0, wanted);
  return items.slice(top, top + height);
}

export function Table<Item>(props: TableProps<Item>): ReactElement {
  const { items, keyOf, selected, width, height, isFocused = true, isDim = false, noteOf } = props;
  const columns = fitColumns(props.columns, width - markerWidth);
  const room = width - markerWidth;
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Line runs={headerRuns(columns)} />
      {rowsAround(items, selected, Math.max(0, height - headerRows)).map((item) => {
        const isSelected = item === items[selected];
        const row = { item, columns, note: noteOf?.(item) };
        return (
          <Line
            key={keyOf(item)}
            runs={[
              markerRun(isSelected, isFocused, isDim),
              ...rowRuns(row, room, isSelected, isDim),
            ]}
          />
        );
      })}
    </Box>
  );
}

interface Row<Item> {
  readonly item: Item;
  /** As `fitColumns` gives them. */
  readonly columns: readonly Column<Item>[];
  readonly note: TextRun | undefined;
}

function headerRuns<Item>(columns: readonly Column<Item>[]): TextRun[] {
  const titles = columns.map((column) => [{ text: column.title, tone: "dim" } as const]);
  const marker: TextRun = { text: " ".repeat(markerWidth), tone: "plain" };
  return [marker, ...joinCells(columns, titles)];
}

function markerRun(isSelected: boolean, isFocused: boolean, isDim: boolean): TextRun {
  if (!isSelected) return { text: " ".repeat(markerWidth), tone: "plain" };
  const tone = isFocused ? "focus" : isDim ? "dim" : "selected";
  return { text: `${glyphs.marker} `, tone };
}

function rowRuns<Item>(
  row: Row<Item>,
  width: number,
  isSelected: boolean,
  isDim: boolean,
): TextRun[] {
  const tone: Tone = isDim ? "dim" : isSelected ? "selected" : "plain";
  const columns = shownColumns(row);
  const cells = columns.map((column) =>
    runsOf(column, row.item).map((run) => (isDim || run.tone === "plain" ? { ...run, tone } : run)),
  );
  const joined = joinCells(columns, cells);
  return row.note === undefined
    ? joined
    : fitRuns([...joined, gap, harmlessRun(row.note.text, row.note.tone)], width);
}

/** Returns the columns of a row, without those that its note replaces. */
function shownColumns<Item>({ columns, note }: Row<Item>): readonly Column<Item>[] {
  return note === undefined ? columns : columns.filter(({ yieldsToNote }) => !yieldsToNote);
}

function runsOf<Item>(column: Column<Item>, item: Item): readonly TextRun[] {
  return [column.cell(item, column.width)].flat().map(({ text, tone }) => harmlessRun(text, tone));
}

function joinCells<Item>(
  columns: readonly Column<Item>[],
  cells: readonly (readonly TextRun[])[],
): TextRun[] {
  return columns.flatMap(({ width, align }, index) => {
    const cell = cells[index] ?? [];
    const blanks = " ".repeat(Math.max(0, width - runsWidth(cell)));
    const padding: TextRun = { text: blanks, tone: "plain" };
    const aligned = align === "right" ? [padding, ...cell] : cell;
    return [...(index === 0 ? [] : [gap]), ...fitRuns(aligned, width)];
  });
}
