// The nodes of a cluster, with what is free of them and the replicas that run there.

import type { ReactElement } from "react";
import type { NodeDocument, ReplicaDocument } from "../../../cloud/admin/documents.ts";
import { Panel, panelInnerHeight, panelInnerWidth } from "../../components/panel.tsx";
import {
  type Column,
  fitColumns,
  markerWidth,
  rowsAround,
  Table,
} from "../../components/table.tsx";
import { useLook } from "../../hooks/use-look.ts";
import { foreignRun } from "../../text/text-run.ts";
import type { Glyphs } from "../../theme.ts";
import type { PaneProps } from "./console-layout.ts";
import { isOutdated, selectedRow, shownNodes } from "./console-state.ts";
import { replicasOn } from "./console-texts.ts";

export function NodeList({ state, width, height, now }: PaneProps): ReactElement {
  const { glyphs } = useLook();
  const nodes = shownNodes(state);
  const index = selectedRow(state, "nodes");
  const room = Math.max(0, panelInnerHeight(height) - 1);
  const columns = nodeColumns(state.cloud.replicas, glyphs);
  return (
    <Panel
      width={width}
      height={height}
      title="Nodes"
      footer={String(nodes.length)}
      isFocused={state.pane === "nodes"}
    >
      <Table
        columns={fitColumns(columns, panelInnerWidth(width) - markerWidth)}
        items={rowsAround(nodes, index, room)}
        keyOf={({ id }) => id}
        isSelected={(node) => node === nodes[index]}
        isDim={isOutdated(state.cloud, now)}
      />
    </Panel>
  );
}

function nodeColumns(
  replicas: readonly ReplicaDocument[],
  glyphs: Glyphs,
): readonly Column<NodeDocument>[] {
  const text = (value: string) => foreignRun(value, "plain", glyphs.isAscii);
  return [
    { title: "NODE", width: 24, cell: ({ name }) => text(name) },
    { title: "ROLE", width: 6, rank: 2, cell: ({ isHead }) => text(isHead ? "head" : "worker") },
    {
      title: "STATE",
      width: 7,
      rank: 1,
      cell: ({ isLost }) =>
        isLost
          ? { text: `${glyphs.failed} lost`, tone: "error" }
          : { text: `${glyphs.ready} alive`, tone: "plain" },
    },
    { title: "FREE", width: 26, rank: 1, cell: ({ free }) => text(free) },
    {
      title: "REPLICAS",
      width: 8,
      isFlexible: true,
      cell: ({ name }) => text(replicasOn(name, replicas)),
    },
  ];
}
