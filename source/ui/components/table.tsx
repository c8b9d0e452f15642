// Table with fixed columns: one `Text` for each visible row.

import { Box, useIsScreenReaderEnabled } from "ink";
import type { ReactElement } from "react";
import { useLook } from "../hooks/use-look.ts";
import { fitRuns, runsText, runsWidth, type TextRun } from "../text/text-run.ts";
import type { Glyphs, Tone } from "../theme.ts";
import { Line } from "./line.tsx";

export interface Column<Item> {
  readonly title: string;
  readonly width: number;
  readonly align?: "left" | "right";
  /** Takes the cells that are left over. One column at most. */
  readonly isFlexible?: boolean;
  /** Columns with a smaller number stay longer in a narrow table. Defaults to 0. */
  readonly rank?: number;
  /** Replaced by the note in rows that have one. */
  readonly yieldsToNote?: boolean;
  readonly cell: (item: Item) => TextRun | readonly TextRun[];
}

/** Returns a column of figures; unknown ones are `-`. */
export function figureColumn<Item, Value>(
  [title, width, rank]: readonly [title: string, width: number, rank: number],
  format: (value: Value) => string,
  figureOf: (item: Item) => Value | undefined,
): Column<Item> {
  const cell = (item: Item): TextRun => {
    const value = figureOf(item);
    return { text: value === undefined ? "-" : format(value), tone: "plain" };
  };
  return { title, width, rank, align: "right", yieldsToNote: true, cell };
}

export interface TableProps<Item> {
  /** As `fitColumns` gives them. */
  readonly columns: readonly Column<Item>[];
  /** Number of visible rows. */
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string | number;
  /** The selected row, which has a marker; undefined: the table has no selection. */
  readonly isSelected?: (item: Item) => boolean;
  /** The table has the focus. Defaults to true. */
  readonly isFocused?: boolean;
  /** Replaces the columns that are hidden first, such as the reason of a failure. */
  readonly noteOf?: (item: Item) => TextRun | undefined;
  /** Dims every cell, whatever its tone: the figures are old. */
  readonly isDim?: boolean;
}

const gap: TextRun = { text: " ", tone: "plain" };
/** Cells in front of the rows of a table with a selection. */
export const markerWidth = 2;

/** The columns that fit into `width` cells, with their widths. */
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
  const { columns, items, keyOf, isSelected } = props;
  const { glyphs } = useLook();
  const isRead = useIsScreenReaderEnabled();
  return (
    <Box flexDirection="column" flexShrink={0} aria-role="list">
      <Line runs={headerRuns(columns, isSelected !== undefined, glyphs)} aria-hidden />
      {items.map((item) => (
        <Box
          key={keyOf(item)}
          aria-role="listitem"
          aria-state={{ selected: isSelected?.(item) ?? false }}
        >
          <Line
            runs={rowRuns(item, props, glyphs)}
            {...(isRead && { "aria-label": spokenRow(item, props) })}
          />
        </Box>
      ))}
    </Box>
  );
}

function headerRuns<Item>(
  columns: readonly Column<Item>[],
  hasMarker: boolean,
  glyphs: Glyphs,
): TextRun[] {
  const titles = columns.map((column) => [{ text: column.title, tone: "dim" } as const]);
  const marker: TextRun = { text: " ".repeat(hasMarker ? markerWidth : 0), tone: "plain" };
  return [marker, ...joinCells(columns, titles, glyphs)];
}

function rowRuns<Item>(item: Item, props: TableProps<Item>, glyphs: Glyphs): TextRun[] {
  const { isSelected, isFocused = true, isDim = false } = props;
  const isMarked = isSelected?.(item) ?? false;
  const tone: Tone = isDim ? "dim" : isMarked ? "selected" : "plain";
  const { columns, note } = shownColumns(item, props);
  const cells = columns.map(({ cell }) =>
    [cell(item)].flat().map((run) => (isDim || run.tone === "plain" ? { ...run, tone } : run)),
  );
  const joined = joinCells(columns, cells, glyphs);
  const width = props.columns.reduce((sum, column) => sum + column.width + 1, -1);
  const row = note === undefined ? joined : fitRuns([...joined, gap, note], width, glyphs.ellipsis);
  if (isSelected === undefined) return row;
  const marker = isMarked ? `${glyphs.marker} ` : " ".repeat(markerWidth);
  return [{ text: marker, tone: isMarked && isFocused ? "focus" : tone }, ...row];
}

/** Returns the columns of a row, without those that its note replaces. */
function shownColumns<Item>(item: Item, { columns, noteOf }: TableProps<Item>) {
  const note = noteOf?.(item);
  if (note === undefined) return { columns, note };
  return { columns: columns.filter(({ yieldsToNote = false }) => !yieldsToNote), note };
}

function joinCells<Item>(
  columns: readonly Column<Item>[],
  cells: readonly (readonly TextRun[])[],
  { ellipsis }: Glyphs,
): TextRun[] {
  return columns.flatMap(({ width, align }, index) => {
    const cell = cells[index] ?? [];
    const blanks = " ".repeat(Math.max(0, width - runsWidth(cell)));
    const padding: TextRun = { text: blanks, tone: "plain" };
    const aligned = align === "right" ? [padding, ...cell] : cell;
    return [...(index === 0 ? [] : [gap]), ...fitRuns(aligned, width, ellipsis)];
  });
}

/** `NAME tiny, SIZE 3 MB`. */
function spokenRow<Item>(item: Item, props: TableProps<Item>): string {
  const { columns, note } = shownColumns(item, props);
  const cells = columns.map(({ title, cell }) => {
    const text = runsText([cell(item)].flat()).trim();
    return text === "" || text === "-" ? "" : `${title} ${text}`.trim();
  });
  return [...cells, note?.text.trim() ?? ""].filter((part) => part !== "").join(", ");
}
