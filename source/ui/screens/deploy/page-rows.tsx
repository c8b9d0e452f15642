// Rows of a page: its question, fields, faults and lines. Each element is one row, so that the page scrolls.

import { Box } from "ink";
import type { ReactElement } from "react";
import { textWidth } from "../../../base/graphemes.ts";
import { Line } from "../../components/line.tsx";
import { panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { TextField } from "../../components/text-field.tsx";
import type { EditorState } from "../../editor/editor-state.ts";
import type { BodySize } from "../../frame/screen.ts";
import {
  cutText,
  fitRuns,
  fitText,
  harmlessRow,
  harmlessRun,
  type TextRun,
  wrapText,
} from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { DeployState } from "./deploy-state.ts";
import {
  blank,
  type ChoiceItem,
  errorLine,
  type Item,
  line,
  linePrefix,
  type Option,
  type Line as PageLine,
  type TextItem,
} from "./form.ts";
import { focusedField } from "./form-reducer.ts";
import { pageOf } from "./steps.ts";

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
 * @returns rows that may be lists of rows; `top`, the first visible one, and `lastScroll`, the first one at
 *   the end of the page
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
  const editor = focusedField(state);
  const { "": stepFault, ...faults } = state.faults;
  const focus = Math.min(state.focus, items.length - 1);
  const rows: (readonly ReactElement[])[] = [];
  const count = () => rows.reduce((sum, { length }) => sum + length, 0);
  const add = (text: PageLine, indent?: number) => rows.push(lineRows(text, width, indent));
  let focusedRow = 0;
  add(line(question, "title"));
  add(blank);
  for (const [index, item] of items.entries()) {
    const isFocused = index === focus;
    const isAlone = items.length === 1;
    if (isFocused) focusedRow = count() + (isAlone ? chosenIndex(item) : 0);
    rows.push(itemRows(item, { isFocused, isAlone, room, editor }));
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
  const lastScroll = Math.max(0, count() - height);
  // Keeps the focused field and the row below it visible.
  const needed = Math.max(0, focusedRow + 2 - height);
  const top = Math.min(lastScroll, needed + state.scroll);
  return { page, rows, width, freeRows: Math.max(0, height - count()), lastScroll, top };
}

function chosenIndex(item: Item): number {
  if (item.kind === "text") return 0;
  return Math.max(
    0,
    item.options.findIndex(({ value }) => value === item.value),
  );
}

export interface ItemProps {
  readonly isFocused: boolean;
  readonly isAlone: boolean;
  readonly room: PageRoom;
  /** The text of the focused field. */
  readonly editor: EditorState;
}

/** Returns one row per field; a choice alone on its page shows all its options. */
export function itemRows(item: Item, props: ItemProps): readonly ReactElement[] {
  const { isFocused, isAlone, room } = props;
  if (item.kind === "text") return [<Field key={item.id} item={item} {...props} />];
  if (!isAlone) return [<Line key={item.id} runs={choiceRuns(item, isFocused, room)} />];
  return item.options.map((option) => (
    <Line key={option.value} runs={optionRuns(item, option, room)} />
  ));
}

/** Draws a label with its field. Secrets are masked. */
function Field({ item, isFocused, room, editor }: ItemProps & { readonly item: TextItem }) {
  const { value, placeholder = "" } = item;
  const text = item.mask?.(value) ?? value;
  const x = markerWidth + room.labelWidth;
  const width = Math.max(1, room.width - x);
  const shown = { text: cutText(text, width), cursor: 0 };
  const typed = { text, cursor: editor.cursor };
  return (
    <Box height={1} flexShrink={0}>
      <Box width={x} flexShrink={0}>
        <Line runs={labelRuns(item, isFocused, room)} />
      </Box>
      <TextField
        field={isFocused && value !== "" ? typed : shown}
        width={width}
        isFocused={isFocused}
        placeholder={cutText(placeholder, width)}
        tone={isFocused ? "value" : "plain"}
        x={x}
      />
    </Box>
  );
}

/** Returns the chosen option between the signs of a choice. */
function choiceRuns(item: ChoiceItem, isFocused: boolean, room: PageRoom): TextRun[] {
  const option = item.options.find(({ value }) => value === item.value);
  const sign = isFocused ? "key" : "dim";
  const title = option?.title ?? item.value;
  const runs: TextRun[] = [
    ...labelRuns(item, isFocused, room),
    { text: "< ", tone: sign },
    harmlessRun(title, isFocused ? "selected" : "plain"),
    { text: " >  ", tone: sign },
    harmlessRun(option?.note ?? "", "dim"),
  ];
  return fitRuns(runs, room.width);
}

function optionRuns(item: ChoiceItem, option: Option, { width }: PageRoom): TextRun[] {
  const isChosen = option.value === item.value;
  const titleWidth = Math.max(...item.options.map(({ title }) => textWidth(title))) + 2;
  const title = fitText(option.title, titleWidth);
  const runs: TextRun[] = [
    markerRun(isChosen),
    { text: `${isChosen ? glyphs.ready : glyphs.idle} `, tone: isChosen ? "mark" : "dim" },
    { text: title, tone: isChosen ? "title" : "plain" },
    harmlessRun(option.note, "dim"),
  ];
  return fitRuns(runs, width);
}

function labelRuns({ label }: Item, isFocused: boolean, { labelWidth }: PageRoom) {
  const text = fitText(label, labelWidth);
  return [markerRun(isFocused), { text, tone: isFocused ? "title" : "plain" } as const];
}

function markerRun(isMarked: boolean): TextRun {
  return { text: isMarked ? `${glyphs.marker} ` : " ".repeat(markerWidth), tone: "mark" };
}

/** Returns a line as rows; all but the first are indented by its label. */
export function lineRows(line: PageLine, width: number, indent = 0): readonly ReactElement[] {
  const { tone } = line;
  const lead = " ".repeat(indent) + linePrefix(line);
  const leadWidth = textWidth(lead);
  // A token may be broken anywhere, so that it can be copied.
  const mode = tone === "value" ? "hard" : "word";
  return wrapText(line.text, width - leadWidth, mode).map((row, index) => {
    const runs: TextRun[] = [
      { text: index === 0 ? lead : " ".repeat(leadWidth), tone: tone === "plain" ? "dim" : tone },
      { text: row.text, tone },
    ];
    // Empty runs would drop the row.
    return <Line key={row.start} runs={runs.filter((run) => run.text !== "")} />;
  });
}
