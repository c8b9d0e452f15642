// Details of one deployment, in place of the panes.

import type { ReactElement } from "react";
import { Lines } from "../../components/line.tsx";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { harmlessRun, type TextRow } from "../../text/text-run.ts";
import type { PaneProps } from "./console-layout.ts";
import type { ConsoleState } from "./console-state.ts";
import { nameOf } from "./console-texts.ts";
import { type DetailLine, detailLabelWidth, detailRows } from "./detail-lines.ts";

type AppDetailsProps = NonNullable<ConsoleState["details"]> & Omit<PaneProps, "state">;

export function AppDetails({ facts, top, width, height, now }: AppDetailsProps): ReactElement {
  const rows = detailRows(facts, { width: panelInnerWidth(width), now });
  const room = panelInnerHeight(height);
  const from = Math.max(0, Math.min(top, rows.length - room));
  const to = Math.min(rows.length, from + room);
  return (
    <Panel
      width={width}
      height={height}
      title={nameOf(facts.details)}
      footer={rows.length > room ? `rows ${from + 1} to ${to} of ${rows.length}` : ""}
      isFocused
    >
      <Lines rows={rows.slice(from, to).map(detailRuns)} />
    </Panel>
  );
}

function detailRuns({ label, text }: DetailLine): TextRow {
  if (text === undefined) return [harmlessRun(label, "heading")];
  return [harmlessRun(label.padEnd(detailLabelWidth), "dim"), { text, tone: "plain" }];
}
