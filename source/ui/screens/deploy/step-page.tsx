// Panel of the current step: its question, fields and lines, and at its end the log or the command.

import { Box, Spacer, Text } from "ink";
import type { ReactElement } from "react";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { TextLine } from "../../components/text-line.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { useLook } from "../../hooks/use-look.ts";
import { isEphemeral } from "./answers.ts";
import type { DeployState, PageContext } from "./deploy-state.ts";
import { line } from "./form.ts";
import { focusedField } from "./form-reducer.ts";
import { FormRow, TextRow } from "./form-row.tsx";
import { layoutPage, stepsColumns, wrapText } from "./page-layout.ts";
import { commandOf } from "./review-pages.ts";
import { type StepId, stepTitle } from "./steps.ts";

export interface StepPageProps {
  readonly state: DeployState;
  readonly context: PageContext;
  /** Size of the whole screen. */
  readonly size: BodySize;
}

/** A page that is too long scrolls: only its rows in sight are mounted. */
export function StepPage({ state, context, size }: StepPageProps): ReactElement {
  const { glyphs } = useLook();
  const x = stepsColumns(size.columns);
  const columns = size.columns - x;
  const width = panelInnerWidth(columns);
  const height = panelInnerHeight(size.rows);
  const { page, rows, labelWidth, top } = layoutPage(state, size, context, glyphs);
  const shown = rows.slice(top, top + height);
  const room = height - shown.length;
  const command = stepsWithoutCommand.has(state.step) ? undefined : commandOf(state, context.rules);
  return (
    <Panel
      width={columns}
      height={size.rows}
      x={x}
      title={stepTitle(state.step, isEphemeral(state.given))}
      footer={rows.length > top + height ? `PgDn ${glyphs.below}` : ""}
      isFocused
    >
      {shown.map((row, y) => (
        <FormRow
          key={row.key}
          row={row}
          y={y}
          width={width}
          labelWidth={labelWidth}
          editor={focusedField(state, context)}
        />
      ))}
      {page.log !== undefined && <LaunchLog log={page.log} rows={room} width={width} />}
      {command !== undefined && <SameCommand command={command} rows={room} width={width} />}
    </Panel>
  );
}

/** Before the script is read there is no command, the review shows it anyway, and the launch has the log. */
const stepsWithoutCommand: ReadonlySet<StepId> = new Set(["script", "review", "launch"]);

interface EndProps {
  /** Rows that are left at the end of the panel. */
  readonly rows: number;
  readonly width: number;
}

/** A blank row and the heading. */
const logHeadRows = 2;

type LaunchLogProps = EndProps & { readonly log: readonly string[] };

/** The last lines of the log, where there is room for at least one. */
export function LaunchLog({ log, rows, width }: LaunchLogProps): ReactElement | null {
  const { theme } = useLook();
  if (log.length === 0 || rows <= logHeadRows) return null;
  return (
    <Box flexDirection="column" flexShrink={0} paddingTop={1}>
      <Text {...theme.dim}>Log (Ctrl+O shows all of it)</Text>
      {log.slice(logHeadRows - rows).map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place below the heading
        <TextLine key={index} text={text} tone="plain" width={width} />
      ))}
    </Box>
  );
}

type SameCommandProps = EndProps & { readonly command: string };

/** The command for the same answers at the end of the panel, where there is room for all of it. */
export function SameCommand({ command, rows, width }: SameCommandProps): ReactElement | null {
  const { glyphs, theme } = useLook();
  const wrapped = wrapText(line(command, "code"), "command", 2, width, glyphs);
  // A heading, and two blank rows that set it apart.
  if (wrapped.length + 3 > rows) return null;
  return (
    <>
      <Spacer />
      <Text {...theme.dim}>The same as a command</Text>
      {wrapped.map(({ key, lead, text, tone }) => (
        <TextRow key={key} lead={lead} text={text} tone={tone} />
      ))}
    </>
  );
}
