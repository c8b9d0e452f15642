// The nodes of a cluster, with what is free of them and the replicas that run there.

import type { ReactElement } from "react";
import type { NodeDocument, ReplicaDocument } from "../../../cloud/admin/documents.ts";
import { ListPane } from "../../components/list-pane.tsx";
import { type Column, spokenRow } from "../../components/table.tsx";
import type { TextRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { PaneProps } from "./console-layout.ts";
import { type ConsoleState, isOutdated, selectedRow, shownNodes } from "./console-state.ts";
import { replicasOn } from "./console-texts.ts";

export function NodeList({ state, width, height, now }: PaneProps): ReactElement {
  const nodes = shownNodes(state);
  return (
    <ListPane
      title="Nodes"
      footer={String(nodes.length)}
      isFocused={state.pane === "nodes"}
      width={width}
      height={height}
      columns={nodeColumns(state.cloud.replicas)}
      items={nodes}
      keyOf={({ id }) => id}
      selected={selectedRow(state, "nodes")}
      isDim={isOutdated(state.cloud, now)}
    />
  );
}

export function spokenNode(state: ConsoleState): string | undefined {
  const node = shownNodes(state)[selectedRow(state, "nodes")];
  return node && `Node: ${spokenRow(nodeColumns(state.cloud.replicas), node)}`;
}

function nodeColumns(replicas: readonly ReplicaDocument[]): readonly Column<NodeDocument>[] {
  const text = (value: string): TextRun => ({ text: value, tone: "plain" });
  return [
    { title: "NODE", width: 24, cell: ({ name }) => text(name), spoken: (name) => name },
    { title: "ROLE", width: 6, rank: 2, cell: ({ isHead }) => text(isHead ? "head" : "worker") },
    {
      title: "STATE",
      width: 7,
      rank: 1,
      cell: ({ isLost }) =>
        isLost
          ? { text: `${glyphs.failed} lost`, tone: "error" }
          : { text: `${glyphs.ready} alive`, tone: "plain" },
      spoken: (_, { isLost }) => (isLost ? "lost" : ""),
    },
    {
      title: "FREE",
      width: 26,
      rank: 1,
      cell: ({ free }) => text(free),
      spoken: (free, { isLost }) => (isLost ? "" : free),
    },
    {
      title: "REPLICAS",
      width: 8,
      isFlexible: true,
      cell: ({ name }) => text(replicasOn(name, replicas)),
      spoken: (names) => names || "no replicas",
    },
  ];
}
