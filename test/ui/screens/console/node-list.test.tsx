// Tests that nodes show their state, what is free of them, and the replicas on them.

import { expect, test } from "vitest";
import type { NodeDocument } from "../../../../source/cloud/admin/documents.ts";
import { paneRows } from "../../../../source/ui/screens/console/console-layout.ts";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { NodeList, spokenNode } from "../../../../source/ui/screens/console/node-list.tsx";
import { renderAt } from "../../support/render.tsx";
import { SampleServer, sampleReplica } from "./sample-cloud.ts";
import { consoleState, now } from "./sample-state.ts";

const head: NodeDocument = {
  ...{ name: "10.0.0.5", id: "a1", isHead: true, isLost: false },
  ...{ resources: "8 CPUs and no GPU", free: "3.5 of 8 CPUs" },
};
const lost: NodeDocument = {
  ...head,
  name: "10.0.0.6",
  id: "b2",
  isHead: false,
  isLost: true,
  free: "",
};
const status = { ...(await new SampleServer().status()), nodes: [head, lost] };

function stateOn(node: string): ConsoleState {
  return consoleState({ status, replicas: [sampleReplica({ node })] }, { pane: "nodes" });
}

test("a node shows role, state, free resources and its replicas", () => {
  const list = <NodeList state={stateOn("10.0.0.5")} width={110} height={9} now={now} />;
  const text = renderAt(list, { columns: 110 }).text();
  expect(text).toMatch(/> 10\.0\.0\.5 +head +● alive +3\.5 of 8 CPUs +local\/tiny \w+/);
  expect(text).toMatch(/ {2}10\.0\.0\.6 +worker +✗ lost +│/);
});

test("nodes take the place of replicas and keys", () => {
  const size = { columns: 120, rows: 40 };
  const [, replaced] = paneRows(consoleState(), size);
  const [, nodes] = paneRows(stateOn("10.0.0.5"), size);
  expect(replaced?.panes).toEqual(["replicas", "keys"]);
  expect(nodes).toEqual({ ...replaced, panes: ["nodes"] });
});

test("the selected node is read with its state, what is free of it and its replicas", () => {
  const state = stateOn("10.0.0.5");
  expect(spokenNode(state)).toMatch(/^Node: 10\.0\.0\.5, 3\.5 of 8 CPUs, local\/tiny \w+$/);
  const selected = { ...state.selected, nodes: { name: "b2", index: 1 } };
  expect(spokenNode({ ...state, selected })).toBe("Node: 10.0.0.6, lost, no replicas");
});
