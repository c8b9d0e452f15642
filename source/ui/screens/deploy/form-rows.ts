// The fields and lines of a step as rows, and where the cursor stands in them.

import type { EditorState } from "../../editor/editor-state.ts";
import type { Span, StyledRow } from "../../frame/screen.ts";
import { clipRow, foreignSpan } from "../../panes/styled-row.ts";
import { fieldPicture } from "../../panes/text-field.ts";
import { textWidth } from "../../text/graphemes.ts";
import { neutraliseLine } from "../../text/neutralise.ts";
import { wrapLine } from "../../text/wrap-line.ts";
import type { Glyphs } from "../../theme.ts";
import type { ChoiceItem, Item, Line, Page, TextItem } from "./form.ts";

export interface FormLook {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly focus: number;
  readonly editor: EditorState;
  readonly faults: Readonly<Record<string, string>>;
}

export interface FormRows {
  readonly rows: readonly StyledRow[];
  /** The row of the field that has the keys; undefined without fields. */
  readonly focusedRow: number | undefined;
  /** Cells from the left; undefined where nothing is typed. */
  readonly cursorX: number | undefined;
}

const markerWidth = 2;

export function formRows(page: Page, look: FormLook): FormRows {
  const { items, lines, question } = page;
  const rows: StyledRow[] = [...lineRows({ text: question, tone: "title" }, look), []];
  const focused = Math.min(look.focus, items.length - 1);
  const labelWidth = Math.max(0, ...items.map(({ label }) => textWidth(label))) + 2;
  let focusedRow: number | undefined;
  let cursorX: number | undefined;
  for (const [index, item] of items.entries()) {
    const isFocused = index === focused;
    if (isFocused) focusedRow = rows.length;
    if (item.kind === "choice" && items.length === 1) {
      if (isFocused)
        focusedRow = rows.length + item.options.findIndex((o) => o.value === item.value);
      rows.push(...listRows(item, look));
    } else if (item.kind === "choice") {
      rows.push(choiceRow(item, isFocused, labelWidth, look));
    } else {
      const field = fieldRow(item, isFocused, labelWidth, look);
      rows.push(field.row);
      if (isFocused) cursorX = field.cursorX;
    }
    rows.push(...belowRows(item, isFocused, labelWidth, look));
  }
  const { "": fault } = look.faults;
  if (items.length > 0) rows.push([]);
  if (fault !== undefined) rows.push(...faultRows(fault, 0, look), []);
  return { rows: [...rows, ...lines.flatMap((said) => lineRows(said, look))], focusedRow, cursorX };
}

export function lineRows(
  { text, tone, lead = "" }: Line,
  { width, glyphs }: FormLook,
): StyledRow[] {
  const shown = neutraliseLine(text, glyphs.isAscii).replaceAll("\t", " ");
  const indent = textWidth(lead);
  // A token or a command is copied from here: it may be broken anywhere.
  const mode = tone === "value" ? "hard" : "word";
  return wrapLine(shown, Math.max(1, width - indent), mode).map((row, index) => {
    const head = index === 0 ? lead : " ".repeat(indent);
    const spans: Span[] = [{ text: row.text, tone }];
    return head === "" ? spans : [{ text: head, tone: tone === "plain" ? "dim" : tone }, ...spans];
  });
}

function marker(isFocused: boolean, { glyphs }: FormLook): Span {
  return { text: isFocused ? `${glyphs.marker} ` : "  ", tone: "mark" };
}

function labelSpan(label: string, width: number, isFocused: boolean): Span {
  return { text: label.padEnd(width), tone: isFocused ? "title" : "plain" };
}

/** Every option in a row of its own. */
function listRows({ options, value }: ChoiceItem, look: FormLook): StyledRow[] {
  const { glyphs, width } = look;
  const titleWidth = Math.max(0, ...options.map(({ title }) => textWidth(title))) + 2;
  return options.map((option) => {
    const isChosen = option.value === value;
    const row: StyledRow = [
      marker(isChosen, look),
      { text: `${isChosen ? glyphs.ready : glyphs.idle} `, tone: isChosen ? "mark" : "dim" },
      foreignSpan(option.title.padEnd(titleWidth), isChosen ? "title" : "plain", glyphs.isAscii),
      foreignSpan(option.note, "dim", glyphs.isAscii),
    ];
    return clipRow(row, width, glyphs.ellipsis);
  });
}

/** The chosen option alone, between signs that there are others. */
function choiceRow(
  { label, options, value }: ChoiceItem,
  isFocused: boolean,
  labelWidth: number,
  look: FormLook,
): StyledRow {
  const { glyphs, width } = look;
  const option = options.find((candidate) => candidate.value === value);
  const row: StyledRow = [
    marker(isFocused, look),
    labelSpan(label, labelWidth, isFocused),
    { text: "< ", tone: isFocused ? "key" : "dim" },
    foreignSpan(option?.title ?? value, isFocused ? "selected" : "plain", glyphs.isAscii),
    { text: " >  ", tone: isFocused ? "key" : "dim" },
    foreignSpan(option?.note ?? "", "dim", glyphs.isAscii),
  ];
  return clipRow(row, width, glyphs.ellipsis);
}

function fieldRow(
  { label, value, mask, placeholder = "" }: TextItem,
  isFocused: boolean,
  labelWidth: number,
  look: FormLook,
): { row: StyledRow; cursorX: number } {
  const { glyphs, width, editor } = look;
  const room = Math.max(4, width - markerWidth - labelWidth);
  const masked = (text: string) =>
    neutraliseLine(mask === undefined ? text : mask(text), glyphs.isAscii);
  const head = [marker(isFocused, look), labelSpan(label, labelWidth, isFocused)];
  const left = markerWidth + labelWidth;
  if (isFocused && editor.text !== "") {
    const { span, cursorX } = fieldPicture({ ...editor, text: masked(editor.text) }, room);
    return { row: [...head, { ...span, tone: "value" }], cursorX: left + cursorX };
  }
  const shown: Span =
    value === ""
      ? { text: placeholder, tone: "dim" }
      : { text: masked(value).replaceAll("\t", " "), tone: "plain" };
  return { row: clipRow([...head, shown], width, glyphs.ellipsis), cursorX: left };
}

/** What is wrong with a field; without that, what it is about while it has the keys. */
function belowRows(
  item: Item,
  isFocused: boolean,
  labelWidth: number,
  look: FormLook,
): StyledRow[] {
  const fault = look.faults[item.id];
  if (fault !== undefined) return faultRows(fault, markerWidth, look);
  if (!isFocused || item.kind !== "text" || !item.note) return [];
  const lead = " ".repeat(markerWidth + labelWidth);
  return lineRows({ text: item.note, tone: "dim", lead }, look);
}

function faultRows(fault: string, indent: number, look: FormLook): StyledRow[] {
  const lead = `${" ".repeat(indent)}${look.glyphs.failed} `;
  return lineRows({ text: fault, tone: "error", lead }, look);
}
