// Panel of the current step: its question, fields and lines, and at its end the log or the command.

import { Box, Spacer, Text } from "ink";
import type { ReactElement } from "react";
import { truncateText } from "../../../base/graphemes.ts";
import { Line, Lines, TextLine } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { TextField } from "../../components/text-field.tsx";
import type { EditorState } from "../../editor/editor-state.ts";
import type { BodySize } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { harmlessRow } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { DeployState, StepId } from "./deploy-state.ts";
import { line } from "./form.ts";
import { focusedField } from "./form-reducer.ts";
import {
  layoutPage,
  lineRows,
  markerWidth,
  type PageRoom,
  type PageRow,
  stepsColumns,
} from "./page-layout.ts";
import { commandOf } from "./review-pages.ts";
import { stepTitle } from "./steps.ts";

/** Steps without a command at the end: it is unknown, already shown, or replaced by the log. */
const stepsWithoutCommand: ReadonlySet<StepId> = new Set(["script", "review", "launch"]);

/** Mounts only the visible rows of a long page. @param size of the whole screen */
export function StepPage({ state, size }: { state: DeployState; size: BodySize }): ReactElement {
  const x = stepsColumns(size.columns);
  const height = panelInnerHeight(size.rows);
  const { page, rows, room, top } = layoutPage(state, size);
  const shown = rows.slice(top, top + height);
  const end = { rows: height - shown.length, width: panelInnerWidth(size.columns - x) };
  const command = stepsWithoutCommand.has(state.step) ? undefined : commandOf(state);
  const editor = focusedField(state);
  return (
    <Panel
      width={size.columns - x}
      height={size.rows}
      x={x}
      title={stepTitle(state)}
      footer={rows.length > top + height ? `PgDn ${glyphs.below}` : ""}
      isFocused
    >
      {shown.map((row, y) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <FormRow key={top + y} row={row} y={y} room={room} editor={editor} />
      ))}
      {page.log !== undefined && <LaunchLog log={page.log} {...end} />}
      {command !== undefined && <SameCommand command={command} {...end} />}
    </Panel>
  );
}

export interface FormRowProps {
  readonly row: PageRow;
  /** Its place in the panel, for the cursor. */
  readonly y: number;
  readonly room: PageRoom;
  /** The text of the focused field. */
  readonly editor: EditorState;
}

/** Draws a row of text, or a label with its field. Secrets are masked. */
export function FormRow({ row, y, room, editor }: FormRowProps): ReactElement {
  const { field, isFocused = false, runs } = row;
  if (field === undefined) return <Line runs={runs} />;
  const { value, placeholder = "" } = field;
  const text = field.mask?.(value) ?? value;
  const x = markerWidth + room.labelWidth;
  const width = Math.max(1, room.width - x);
  const shown = { text: truncateText(harmlessRow(text), width, glyphs.ellipsis), cursor: 0 };
  const typed = { text, cursor: editor.cursor };
  return (
    <Box height={1} flexShrink={0}>
      <Box width={x} flexShrink={0}>
        <Line runs={runs} />
      </Box>
      <TextField
        field={isFocused && value !== "" ? typed : shown}
        width={width}
        isFocused={isFocused}
        placeholder={truncateText(placeholder, width, glyphs.ellipsis)}
        tone={isFocused ? "value" : "plain"}
        x={x}
        y={y}
      />
    </Box>
  );
}

interface EndProps {
  /** Free rows at the end of the panel. */
  readonly rows: number;
  readonly width: number;
}

/** Blank row and heading. */
const logHeadRows = 2;

/** Draws the last lines of the log, if at least one fits. */
function LaunchLog(props: EndProps & { readonly log: readonly string[] }): ReactElement | null {
  const { log, rows, width } = props;
  const { theme } = useLook();
  if (log.length === 0 || rows <= logHeadRows) return null;
  return (
    <Box flexDirection="column" flexShrink={0} paddingTop={1}>
      <Text {...theme.dim}>Log (Ctrl+O opens it all)</Text>
      {log.slice(logHeadRows - rows).map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
        <TextLine key={index} text={text} tone="plain" width={width} />
      ))}
    </Box>
  );
}

/** Draws the command for the answers at the end of the panel, if all of it fits. */
function SameCommand(props: EndProps & { readonly command: string }): ReactElement | null {
  const { command, rows, width } = props;
  const { theme } = useLook();
  const wrapped = lineRows(line(command, "code"), { width }, 2);
  // A heading and two blank rows.
  if (wrapped.length + 3 > rows) return null;
  return (
    <>
      <Spacer />
      <Text {...theme.dim}>Equivalent command</Text>
      <Lines rows={wrapped.map(({ runs }) => runs)} />
    </>
  );
}
