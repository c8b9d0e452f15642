// A list in a panel: a table around the selected row, or a sentence that says why it is empty. Its title
// shows the filter, and the field while the filter is typed.

import { Box } from "ink";
import type { ReactElement, ReactNode } from "react";
import { textWidth } from "../../base/graphemes.ts";
import { harmlessRow } from "../text/text-run.ts";
import { glyphs } from "../theme.ts";
import { TextLine } from "./line.tsx";
import type { FilterField } from "./list-state.ts";
import { Panel, panelInnerHeight, panelInnerWidth } from "./panel.tsx";
import { Table, type TableProps } from "./table.tsx";
import { TextField } from "./text-field.tsx";

interface FilteredPanelProps {
  readonly title: string;
  /** The filter in use; empty for none. Defaults to none. */
  readonly filter?: string;
  /** The filter being typed into this panel. */
  readonly field?: FilterField | undefined;
  readonly footer: string;
  readonly isFocused: boolean;
  readonly width: number;
  readonly height: number;
  /** Its first row in the body; needed if a field inside has the cursor. */
  readonly y?: number;
}

export interface ListPaneProps<Item>
  extends FilteredPanelProps,
    Pick<TableProps<Item>, "columns" | "items" | "keyOf" | "selected" | "noteOf" | "isDim"> {
  /** A sentence, or more, below the header of an empty list. */
  readonly empty?: ReactNode;
  /** A row above the table. */
  readonly head?: ReactElement;
  /** A row at the bottom. */
  readonly foot?: ReactElement | undefined;
}

export function ListPane<Item>(props: ListPaneProps<Item>): ReactElement {
  const { columns, items, keyOf, selected, noteOf, isDim, empty, head, foot, ...panel } = props;
  const width = panelInnerWidth(panel.width);
  const others = (head === undefined ? 0 : 1) + (foot === undefined ? 0 : 1);
  return (
    <FilteredPanel {...panel}>
      {head}
      <Table
        columns={columns}
        items={items}
        keyOf={keyOf}
        selected={selected}
        width={width}
        height={panelInnerHeight(panel.height) - others}
        isFocused={panel.isFocused}
        {...(noteOf !== undefined && { noteOf })}
        {...(isDim !== undefined && { isDim })}
      />
      {items.length === 0 &&
        (typeof empty === "string" ? (
          <TextLine text={`  ${empty}`} tone="dim" width={width} />
        ) : (
          empty
        ))}
      {foot !== undefined && <Box flexGrow={1} />}
      {foot}
    </FilteredPanel>
  );
}

const fieldWidthMaximum = 40;
/** The corner, a piece of the border and a blank, on each side of the title. */
const titleMargin = 3;

export function FilteredPanel(props: FilteredPanelProps & { children: ReactNode }): ReactElement {
  const { filter = "", field, width, height, y = 0, footer, isFocused, children } = props;
  const title = harmlessRow(props.title);
  const head = `${title} ${glyphs.separator} filter: `;
  const frame = { width, height, y, footer, isFocused };
  if (field === undefined) {
    const shown = filter === "" ? title : head + filter;
    return (
      <Panel {...frame} title={shown}>
        {children}
      </Panel>
    );
  }
  const x = titleMargin + textWidth(head);
  const room = Math.max(1, Math.min(fieldWidthMaximum, width - titleMargin - x));
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0}>
      <Panel {...frame} title={head + " ".repeat(room)}>
        {children}
      </Panel>
      <Box position="absolute" left={x} top={0}>
        <TextField field={field.editor} width={room} tone="title" x={x} y={y} />
      </Box>
    </Box>
  );
}
