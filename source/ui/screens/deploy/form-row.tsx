// A row of a step's page: text, a field to type in, or a choice.

import { Box } from "ink";
import type { ReactElement } from "react";
import { Line } from "../../components/line.tsx";
import { TextField } from "../../components/text-field.tsx";
import type { EditorState } from "../../editor/editor-state.ts";
import { useLook } from "../../hooks/use-look.ts";
import { textWidth, truncateText } from "../../text/graphemes.ts";
import { fitRuns, fitText, foreignText, type TextRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type { ChoiceItem, Item, TextItem } from "./form.ts";
import {
  type ItemPageRow,
  markerWidth,
  type OptionPageRow,
  type PageRow,
  type TextPageRow,
} from "./page-layout.ts";

export interface FormRowProps {
  readonly row: PageRow;
  /** Its place in the panel, for the cursor. */
  readonly y: number;
  readonly width: number;
  readonly labelWidth: number;
  /** The text of the field that has the keys. */
  readonly editor: EditorState;
}

export function FormRow({ row, ...place }: FormRowProps): ReactElement {
  switch (row.kind) {
    case "text":
      return <TextRow lead={row.lead} text={row.text} tone={row.tone} />;
    case "option":
      return <OptionRow item={row.item} option={row.option} width={place.width} />;
    case "item":
      return row.item.kind === "text" ? (
        <FieldRow {...place} item={row.item} isFocused={row.isFocused} />
      ) : (
        <ChoiceRow {...place} item={row.item} isFocused={row.isFocused} />
      );
  }
}

type TextRowProps = Pick<TextPageRow, "lead" | "text" | "tone">;

/** Part of a line: its sign and label, and the text behind them. */
export function TextRow({ lead, text, tone }: TextRowProps): ReactElement {
  const leadTone = tone === "plain" ? "dim" : tone;
  const runs: TextRun[] = [
    { text: lead, tone: leadTone },
    { text, tone },
  ];
  // Without a cell there would be no row either.
  return <Line runs={runs.filter((run) => run.text !== "")} />;
}

type ItemRowProps<PageItem extends Item> = Omit<FormRowProps, "row"> &
  Pick<ItemPageRow<PageItem>, "item" | "isFocused">;

/** A label with the field beside it. Secrets come masked. */
function FieldRow(props: ItemRowProps<TextItem>): ReactElement {
  const { item, isFocused, y, width, labelWidth, editor } = props;
  const { glyphs } = useLook();
  const { value, mask = unchanged, placeholder = "" } = item;
  const x = markerWidth + labelWidth;
  const room = Math.max(1, width - x);
  const isTyped = isFocused && value !== "";
  const shown = truncateText(foreignText(mask(value), glyphs.isAscii), room, glyphs.ellipsis);
  return (
    <Box height={1} flexShrink={0}>
      <Box width={x} flexShrink={0}>
        <Line runs={labelRuns(item.label, isFocused, labelWidth, glyphs)} />
      </Box>
      <TextField
        field={isTyped ? { text: mask(value), cursor: editor.cursor } : { text: shown, cursor: 0 }}
        width={room}
        isFocused={isFocused}
        placeholder={truncateText(placeholder, room, glyphs.ellipsis)}
        tone={isFocused ? "value" : "plain"}
        x={x}
        y={y}
      />
    </Box>
  );
}

/** The chosen option alone, between signs that there are others. */
function ChoiceRow({ item, isFocused, width, labelWidth }: ItemRowProps<ChoiceItem>): ReactElement {
  const { glyphs } = useLook();
  const option = item.options.find(({ value }) => value === item.value);
  const sign = isFocused ? "key" : "dim";
  const title = foreignText(option?.title ?? item.value, glyphs.isAscii);
  const runs: TextRun[] = [
    ...labelRuns(item.label, isFocused, labelWidth, glyphs),
    { text: "< ", tone: sign },
    { text: title, tone: isFocused ? "selected" : "plain" },
    { text: " >  ", tone: sign },
    { text: foreignText(option?.note ?? "", glyphs.isAscii), tone: "dim" },
  ];
  return <Line runs={fitRuns(runs, width, glyphs.ellipsis)} />;
}

type OptionRowProps = Pick<OptionPageRow, "item" | "option"> & { readonly width: number };

/** An option of a choice that is alone on its page. */
function OptionRow({ item, option, width }: OptionRowProps): ReactElement {
  const { glyphs } = useLook();
  const isChosen = option.value === item.value;
  const titleWidth = Math.max(...item.options.map(({ title }) => textWidth(title))) + 2;
  const title = fitText(foreignText(option.title, glyphs.isAscii), titleWidth, glyphs.ellipsis);
  const runs: TextRun[] = [
    markerRun(isChosen, glyphs),
    { text: `${isChosen ? glyphs.ready : glyphs.idle} `, tone: isChosen ? "mark" : "dim" },
    { text: title, tone: isChosen ? "title" : "plain" },
    { text: foreignText(option.note, glyphs.isAscii), tone: "dim" },
  ];
  return <Line runs={fitRuns(runs, width, glyphs.ellipsis)} />;
}

function labelRuns(label: string, isFocused: boolean, width: number, glyphs: Glyphs): TextRun[] {
  const text = fitText(foreignText(label, glyphs.isAscii), width, glyphs.ellipsis);
  return [markerRun(isFocused, glyphs), { text, tone: isFocused ? "title" : "plain" }];
}

function markerRun(isMarked: boolean, { marker }: Glyphs): TextRun {
  return { text: isMarked ? `${marker} ` : " ".repeat(markerWidth), tone: "mark" };
}

function unchanged(text: string): string {
  return text;
}
