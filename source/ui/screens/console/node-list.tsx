// The nodes of a cluster, with what is free of them and the replicas that run there.

import type { ReactElement } from "react";
import type { NodeDocument, ReplicaDocument } from "../../../cloud/admin/documents.ts";
import { ListPane } from "../../components/list-pane.tsx";
import type { Column } from "../../components/table.tsx";
import { harmlessRun } from "../../text/text-run.ts";
import { glyphs } from "../../theme.ts";
import type { PaneProps } from "./console-layout.ts";
import { isOutdated, selectedRow, shownNodes } from "./console-state.ts";
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

function nodeColumns(replicas: readonly ReplicaDocument[]): readonly Column<NodeDocument>[] {
  const text = (value: string) => harmlessRun(value, "plain");
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
