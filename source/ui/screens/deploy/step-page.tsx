// Panel of the current step: its question, fields and lines, and at its end the log or the command.

import type { ReactElement } from "react";
import { Line, TextLine } from "../../components/line.tsx";
import { ScrollPanel } from "../../components/scroll-panel.tsx";
import type { BodySize } from "../../frame/screen.ts";
import { glyphs } from "../../theme.ts";
import type { DeployState, StepId } from "./deploy-state.ts";
import { line } from "./form.ts";
import { layoutPage, lineRows, stepsColumns } from "./page-rows.tsx";
import { commandOf } from "./review-pages.ts";
import { stepTitle } from "./steps.ts";

/** Steps without a command at the end: it is unknown, already shown, or replaced by the log. */
const stepsWithoutCommand: ReadonlySet<StepId> = new Set(["script", "review", "launch"]);

/** @param size of the whole screen */
export function StepPage({ state, size }: { state: DeployState; size: BodySize }): ReactElement {
  const x = stepsColumns(size.columns);
  const { page, rows, width, freeRows, lastScroll, top } = layoutPage(state, size);
  const command = stepsWithoutCommand.has(state.step) ? undefined : commandOf(state);
  const end = { rows: freeRows, width };
  return (
    <ScrollPanel
      width={size.columns - x}
      height={size.rows}
      x={x}
      title={stepTitle(state)}
      footer={top < lastScroll ? `PgDn ${glyphs.below}` : ""}
      isFocused
      top={top}
    >
      {rows}
      {page.log !== undefined && logRows(page.log, end)}
      {command !== undefined && commandRows(command, end)}
    </ScrollPanel>
  );
}

interface End {
  /** Free rows at the end of the panel. */
  readonly rows: number;
  readonly width: number;
}

/** Blank row and heading. */
const logHeadRows = 2;

/** Returns the last lines of the log, if at least one fits. */
function logRows(log: readonly string[], { rows, width }: End): readonly ReactElement[] {
  if (log.length === 0 || rows <= logHeadRows) return [];
  return [
    <Line key="blank" runs={[]} />,
    <TextLine key="heading" text="Log (Ctrl+O opens it all)" tone="dim" width={width} />,
    ...log.slice(logHeadRows - rows).map((text, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
      <TextLine key={index} text={text} tone="plain" width={width} />
    )),
  ];
}

/** Returns the command for the answers, at the end of the panel, if all of it fits. */
function commandRows(command: string, { rows, width }: End): readonly ReactElement[] {
  const wrapped = lineRows(line(command, "code"), width, 2);
  // A heading and two blank rows.
  if (wrapped.length + 3 > rows) return [];
  const blanks = Array.from({ length: rows - wrapped.length - 1 }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
    <Line key={`blank ${index}`} runs={[]} />
  ));
  const heading = <TextLine key="heading" text="Equivalent command" tone="dim" width={width} />;
  return [...blanks, heading, ...wrapped];
}
