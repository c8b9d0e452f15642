// Lays a page out in rows: scrolling and the cursor have to know where everything stands.

import type { BodySize } from "../../frame/screen.ts";
import { textWidth } from "../../text/graphemes.ts";
import { foreignText } from "../../text/text-run.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs, Tone } from "../../theme.ts";
import type { DeployState, PageContext } from "./deploy-state.ts";
import {
  blank,
  type ChoiceItem,
  type Item,
  type Line,
  leadOf,
  type Option,
  type Page,
} from "./form.ts";
import { pageOf } from "./pages.ts";

/** A row of a line that may be longer. */
export interface TextPageRow {
  readonly kind: "text";
  readonly key: string;
  /** Sign and label in the first row of the line, blanks in the others. */
  readonly lead: string;
  readonly text: string;
  readonly tone: Tone;
}

/** A row of a field. */
export interface ItemPageRow<PageItem extends Item> {
  readonly kind: "item";
  readonly key: string;
  readonly item: PageItem;
  readonly isFocused: boolean;
}

/** An option of a choice that has the page for itself. */
export interface OptionPageRow {
  readonly kind: "option";
  readonly key: string;
  readonly item: ChoiceItem;
  readonly option: Option;
}

/** A row of a page; no other row of the page has its key. */
export type PageRow = TextPageRow | ItemPageRow<Item> | OptionPageRow;

export interface PageLayout {
  readonly page: Page;
  readonly rows: readonly PageRow[];
  /** Cells that the labels of the fields take. */
  readonly labelWidth: number;
  /** First row in sight. */
  readonly top: number;
  /** The first row when the page is scrolled to its end. */
  readonly lastScroll: number;
}

/** From so many columns on, the steps have a panel of their own. */
const stepsFromColumns = 80;
export const stepsWidth = 22;
/** Cells in front of a label: the marker of the field that has the keys. */
export const markerWidth = 2;
const fieldWidthMinimum = 12;
/** Borders of the panel, and the blanks beside them. */
const frameColumns = 4;
const frameRows = 2;

/** Columns for the list of steps: none in a narrow window. */
export function stepsColumns(columns: number): number {
  return columns >= stepsFromColumns ? stepsWidth : 0;
}

/** @param size of the whole screen */
export function layoutPage(
  state: DeployState,
  size: BodySize,
  context: PageContext,
  glyphs: Glyphs,
): PageLayout {
  const page = pageOf(state, context);
  const width = Math.max(1, size.columns - stepsColumns(size.columns) - frameColumns);
  const height = Math.max(0, size.rows - frameRows);
  const labels = page.items.map(({ label }) => textWidth(foreignText(label, glyphs.isAscii)));
  const labelRoom = Math.max(0, width - markerWidth - fieldWidthMinimum);
  const labelWidth = Math.min(Math.max(0, ...labels) + 2, labelRoom);
  const wrap = (line: Line, key: string, indent = 0) => wrapText(line, key, indent, width, glyphs);
  const { "": stepFault, ...faults } = state.faults;
  const focus = Math.min(state.focus, page.items.length - 1);
  const rows: PageRow[] = [
    ...wrap({ text: page.question, tone: "title" }, "question"),
    ...wrap(blank, "gap"),
  ];
  let focusedRow = 0;
  for (const [index, item] of page.items.entries()) {
    const isFocused = index === focus;
    const own = itemRows(item, isFocused, page.items.length === 1);
    const chosen = own.findIndex((row) => row.kind === "option" && row.option.value === item.value);
    if (isFocused) focusedRow = rows.length + Math.max(0, chosen);
    const fault = faults[item.id];
    const note = isFocused && item.kind === "text" && item.note ? item.note : undefined;
    const key = `${item.id} below`;
    rows.push(...own);
    if (fault !== undefined) rows.push(...wrap(faultLine(fault), key, markerWidth));
    else if (note !== undefined)
      rows.push(...wrap({ text: note, tone: "dim" }, key, markerWidth + labelWidth));
  }
  if (page.items.length > 0) rows.push(...wrap(blank, "end of fields"));
  if (stepFault !== undefined) {
    rows.push(...wrap(faultLine(stepFault), "fault"), ...wrap(blank, "end of fault"));
  }
  for (const [index, line] of page.lines.entries()) rows.push(...wrap(line, `line ${index}`));
  const lastScroll = Math.max(0, rows.length - height);
  // The field that has the keys, and the row below it, are in sight too.
  const needed = Math.max(0, focusedRow + 2 - height);
  return { page, rows, labelWidth, lastScroll, top: Math.min(lastScroll, needed + state.scroll) };
}

function itemRows(item: Item, isFocused: boolean, isAlone: boolean): PageRow[] {
  if (item.kind === "text" || !isAlone) return [{ kind: "item", key: item.id, item, isFocused }];
  return item.options.map((option) => {
    return { kind: "option", key: `option ${option.value}`, item, option };
  });
}

function faultLine(text: string): Line {
  return { text, tone: "error", sign: "failed" };
}

/** A line as rows; all but the first are indented by its label. */
export function wrapText(
  line: Line,
  key: string,
  indent: number,
  width: number,
  glyphs: Glyphs,
): TextPageRow[] {
  const lead = " ".repeat(indent) + leadOf(line, glyphs);
  const room = Math.max(1, width - textWidth(lead));
  // A token is copied from here: it may be broken anywhere.
  const mode = line.tone === "value" ? "hard" : "word";
  return wrapLine(foreignText(line.text, glyphs.isAscii), room, mode).map(({ text }, index) => ({
    key: `${key} ${index}`,
    kind: "text",
    lead: index === 0 ? lead : " ".repeat(textWidth(lead)),
    text,
    tone: line.tone,
  }));
}
