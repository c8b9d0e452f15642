// A list to choose from: a marker in front of the selected item, a note at the right of each.

import { Box } from "ink";
import { type ReactElement, useState } from "react";
import { textWidth } from "../../base/graphemes.ts";
import type { ListItem } from "../frame/screen.ts";
import { fitText, harmlessRow, harmlessRun, type TextRow } from "../text/text-run.ts";
import { glyphs } from "../theme.ts";
import { Line } from "./line.tsx";

export interface SelectListProps {
  readonly items: readonly ListItem[];
  /** Index of the selected item. */
  readonly selected: number;
  /** Number of visible rows, which follow the selection. */
  readonly height: number;
  readonly width: number;
  /** Shows the names of groups between the items. Defaults to false. */
  readonly isGrouped?: boolean;
  /** Aligns notes in a column if the titles leave room. Defaults to false. */
  readonly isTable?: boolean;
}

/** A row of the list: the name of a group, or an item by its index. */
export type DisplayRow = { readonly group: string } | { readonly index: number };

export function SelectList(props: SelectListProps): ReactElement {
  const { items, selected, height, width, isGrouped = false, isTable = false } = props;
  const column = isTable ? noteColumn(items, width) : undefined;
  const rows = displayRows(items, isGrouped);
  const top = useScrollTop(rows, selected, height);
  return (
    <Box flexDirection="column" flexShrink={0}>
      {rows.slice(top, top + height).map((row) => {
        if ("group" in row) {
          return <Line key={`group ${row.group}`} runs={[harmlessRun(row.group, "title")]} />;
        }
        const item = items[row.index];
        if (item === undefined) return null;
        return (
          <SelectItem
            key={`${row.index} ${item.value}`}
            item={item}
            isSelected={row.index === selected}
            width={width}
            noteWidth={column}
          />
        );
      })}
    </Box>
  );
}

interface SelectItemProps {
  readonly item: ListItem;
  readonly isSelected: boolean;
  readonly width: number;
  /** Cells of the note; undefined: as many as it needs. */
  readonly noteWidth: number | undefined;
}

function SelectItem({ item, isSelected, width, ...given }: SelectItemProps): ReactElement {
  const tone = item.isDim ? "dim" : isSelected ? "selected" : "plain";
  const note = harmlessRow(item.note);
  const noteWidth = given.noteWidth ?? Math.min(textWidth(note), Math.floor(width * 0.6));
  const runs: TextRow = [
    { text: isSelected ? `${glyphs.marker} ` : "  ", tone: "key" },
    { text: `${fitText(item.title, Math.max(1, width - noteWidth - 3))} `, tone },
    { text: fitText(note, noteWidth), tone: isSelected ? tone : "dim" },
  ];
  return <Line runs={runs} />;
}

/** A narrower column is too short for a note. */
const noteWidthMinimum = 20;

/** Returns the width of a column of notes behind the longest title; 0 if there is no room. */
function noteColumn(items: readonly ListItem[], width: number): number {
  const titles = Math.max(0, ...items.map(({ title }) => textWidth(title)));
  const room = width - titles - 3;
  return room < noteWidthMinimum ? 0 : room;
}

/** True if a note does not fit into its column. */
export function cutsNotes(items: readonly ListItem[], width: number): boolean {
  const column = noteColumn(items, width);
  return items.some(({ note }) => textWidth(note) > column);
}

/** Inserts the groups' names between their items. */
export function displayRows(items: readonly ListItem[], isGrouped: boolean): readonly DisplayRow[] {
  const rows: DisplayRow[] = [];
  let group: string | undefined;
  for (const [index, item] of items.entries()) {
    if (isGrouped && item.group !== undefined && item.group !== group) {
      group = item.group;
      rows.push({ group });
    }
    rows.push({ index });
  }
  return rows;
}

/** Returns the first visible row, which moves only as far as the selection needs. */
function useScrollTop(rows: readonly DisplayRow[], selected: number, height: number): number {
  const [kept, keep] = useState(0);
  const at = rows.findIndex((row) => "index" in row && row.index === selected);
  // Selecting the first item also shows the name of its group.
  const first = at === 1 && rows[0] !== undefined && "group" in rows[0] ? 0 : at;
  let top = kept;
  if (first < top) top = Math.max(0, first);
  if (at >= top + height) top = at - height + 1;
  top = Math.min(top, Math.max(0, rows.length - height));
  // React draws again at once, before anything is shown.
  if (top !== kept) keep(top);
  return top;
}
