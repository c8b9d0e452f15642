// Lays a page out in rows, so that scrolling and the cursor know each position.

import { textWidth } from "../../../base/graphemes.ts";
import { wrapLine } from "../../../base/wrap-line.ts";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { fitRuns, fitText, harmlessRow, type TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { DeployState } from "./deploy-state.ts";
import {
  blank,
  type ChoiceItem,
  errorLine,
  type Item,
  type Line,
  line,
  linePrefix,
  type Option,
  type TextItem,
} from "./form.ts";
import { pageOf } from "./steps.ts";

export interface PageRow {
  readonly runs: readonly TextRun[];
  /** The field behind the runs. */
  readonly field?: TextItem;
  /** True for the focused row. */
  readonly isFocused?: boolean;
}

/** Room for the rows of a page. */
export interface PageRoom {
  readonly width: number;
  /** Cells that the labels of the fields take. */
  readonly labelWidth: number;
}

/** Columns from which the steps have their own panel. */
const stepsFromColumns = 100;
export const stepsWidth = 25;
/** Cells in front of a label: the marker of the focused field. */
export const markerWidth = 2;
const fieldWidthMinimum = 12;

/** Returns the columns for the list of steps: 0 in a narrow window. */
export function stepsColumns(columns: number): number {
  return columns >= stepsFromColumns ? stepsWidth : 0;
}

/**
 * @param size of the whole screen
 * @returns `top`, the first visible row, and `lastScroll`, the first one at the end of the page
 */
export function layoutPage(state: DeployState, size: BodySize) {
  const page = pageOf(state);
  const { question, items } = page;
  const width = Math.max(1, panelInnerWidth(size.columns - stepsColumns(size.columns)));
  const height = panelInnerHeight(size.rows);
  const labels = items.map(({ label }) => textWidth(harmlessRow(label)));
  const labelRoom = Math.max(0, width - markerWidth - fieldWidthMinimum);
  const labelWidth = Math.min(Math.max(0, ...labels) + 2, labelRoom);
  const room = { width, labelWidth };
  const { "": stepFault, ...faults } = state.faults;
  const focus = Math.min(state.focus, items.length - 1);
  const rows: PageRow[] = [];
  const add = (text: Line, indent?: number) => rows.push(...lineRows(text, room, indent));
  add(line(question, "title"));
  add(blank);
  for (const [index, item] of items.entries()) {
    const isFocused = index === focus;
    rows.push(...itemRows(item, isFocused, items.length === 1, room));
    const fault = faults[item.id];
    const note = isFocused && item.kind === "text" ? item.note : undefined;
    if (fault !== undefined) add(errorLine(fault), markerWidth);
    else if (note) add(line(note, "dim"), markerWidth + labelWidth);
  }
  if (items.length > 0) add(blank);
  if (stepFault !== undefined) {
    add(errorLine(stepFault));
    add(blank);
  }
  for (const text of page.lines) add(text);
  const focusedRow = rows.findIndex(({ isFocused }) => isFocused);
  const lastScroll = Math.max(0, rows.length - height);
  // Keeps the focused field and the row below it visible.
  const needed = Math.max(0, focusedRow + 2 - height);
  return { page, rows, room, lastScroll, top: Math.min(lastScroll, needed + state.scroll) };
}

/** Returns one row per field; a choice alone on its page shows all its options. */
export function itemRows(
  item: Item,
  isFocused: boolean,
  isAlone: boolean,
  room: PageRoom,
): readonly PageRow[] {
  if (item.kind === "text") {
    return [{ runs: labelRuns(item, isFocused, room), field: item, isFocused }];
  }
  if (isAlone) return item.options.map((option) => optionRow(item, option, room));
  return [{ runs: choiceRuns(item, isFocused, room), isFocused }];
}

/** Returns the chosen option between the signs of a choice. */
function choiceRuns(item: ChoiceItem, isFocused: boolean, room: PageRoom): TextRun[] {
  const option = item.options.find(({ value }) => value === item.value);
  const sign = isFocused ? "key" : "dim";
  const title = harmlessRow(option?.title ?? item.value);
  const runs: TextRun[] = [
    ...labelRuns(item, isFocused, room),
    { text: "< ", tone: sign },
    { text: title, tone: isFocused ? "selected" : "plain" },
    { text: " >  ", tone: sign },
    { text: harmlessRow(option?.note ?? ""), tone: "dim" },
  ];
  return fitRuns(runs, room.width, glyphs.ellipsis);
}

function optionRow(item: ChoiceItem, option: Option, { width }: PageRoom): PageRow {
  const isChosen = option.value === item.value;
  const titleWidth = Math.max(...item.options.map(({ title }) => textWidth(title))) + 2;
  const title = fitText(harmlessRow(option.title), titleWidth, glyphs.ellipsis);
  const runs: TextRun[] = [
    markerRun(isChosen),
    { text: `${isChosen ? glyphs.ready : glyphs.idle} `, tone: isChosen ? "mark" : "dim" },
    { text: title, tone: isChosen ? "title" : "plain" },
    { text: harmlessRow(option.note), tone: "dim" },
  ];
  return { runs: fitRuns(runs, width, glyphs.ellipsis), isFocused: isChosen };
}

function labelRuns({ label }: Item, isFocused: boolean, { labelWidth }: PageRoom) {
  const text = fitText(harmlessRow(label), labelWidth, glyphs.ellipsis);
  return [markerRun(isFocused), { text, tone: isFocused ? "title" : "plain" } as const];
}

function markerRun(isMarked: boolean): TextRun {
  return { text: isMarked ? `${glyphs.marker} ` : " ".repeat(markerWidth), tone: "mark" };
}

/** Returns a line as rows; all but the first are indented by its label. */
export function lineRows(line: Line, { width }: Pick<PageRoom, "width">, indent = 0): PageRow[] {
  const { tone } = line;
  const lead = " ".repeat(indent) + linePrefix(line);
  const leadWidth = textWidth(lead);
  // A token may be broken anywhere, so that it can be copied.
  const mode = tone === "value" ? "hard" : "word";
  const text = harmlessRow(line.text);
  return wrapLine(text, Math.max(1, width - leadWidth), mode).map((row, index) => {
    const runs: TextRun[] = [
      { text: index === 0 ? lead : " ".repeat(leadWidth), tone: tone === "plain" ? "dim" : tone },
      { text: row.text, tone },
    ];
    // Empty runs would drop the row.
    return { runs: runs.filter((run) => run.text !== "") };
  });
}
