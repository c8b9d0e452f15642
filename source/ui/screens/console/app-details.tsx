// Details of one deployment, in place of the panes.

import type { ReactElement } from "react";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import { Text } from "../../components/text.tsx";
import { useLook } from "../../hooks/use-look.ts";
import type { PaneProps } from "./console-layout.ts";
import type { ConsoleState } from "./console-state.ts";
import { nameOf } from "./console-texts.ts";
import { detailLabelWidth, detailRows } from "./detail-lines.ts";

type AppDetailsProps = NonNullable<ConsoleState["details"]> & Omit<PaneProps, "state">;

export function AppDetails({ facts, top, width, height, now }: AppDetailsProps): ReactElement {
  const { theme } = useLook();
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
      {rows.slice(from, to).map(({ label, text }, index) =>
        text === undefined ? (
          <Text key={`heading ${label}`} {...theme.heading} wrap="truncate">
            {label}
          </Text>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their position
          <Text key={index} wrap="truncate">
            <Text {...theme.dim}>{label.padEnd(detailLabelWidth)}</Text>
            {text}
          </Text>
        ),
      )}
    </Panel>
  );
}
