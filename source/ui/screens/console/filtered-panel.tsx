// A panel whose title shows its filter, and the field while the filter is typed.

import { Box } from "ink";
import type { ReactElement, ReactNode } from "react";
import { textWidth } from "../../../base/graphemes.ts";
import { Panel } from "../../components/panel.tsx";
import { TextField } from "../../components/text-field.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { foreignText } from "../../text/text-run.ts";
import type { ConsoleState } from "./console-state.ts";

const fieldWidthMaximum = 40;
/** The corner, a piece of the border and a blank, on each side of the title. */
const titleMargin = 3;

export interface FilteredPanelProps {
  readonly title: string;
  /** The filter in use; empty for none. */
  readonly filter: string;
  /** The filter being typed into this panel. */
  readonly field: ConsoleState["field"];
  readonly footer: string;
  readonly isFocused: boolean;
  readonly width: number;
  readonly height: number;
  /** Its first row in the body. */
  readonly y: number;
  readonly children: ReactNode;
}

export function FilteredPanel(props: FilteredPanelProps): ReactElement {
  const { filter, field, width, height, y, footer, isFocused, children } = props;
  const { glyphs } = useLook();
  const title = foreignText(props.title, glyphs.isAscii);
  const head = `${title} ${glyphs.separator} filter: `;
  const frame = { width, height, y, footer, isFocused };
  if (field === undefined) {
    const shown = filter === "" ? title : head + foreignText(filter, glyphs.isAscii);
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
