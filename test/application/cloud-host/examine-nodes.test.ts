// Findings about the nodes of a Ray cluster.
import { expect, test } from "vitest";
import { findingsOf } from "../../../source/application/cloud-host/examine-nodes.ts";
import type { NodeReport } from "../../../source/cloud/engines/ray/node-report.ts";

const head: NodeReport = {
  ...{ node_id: "aaaaaaaaaaaa", address: "10.0.0.5", is_head: true },
  ...{ python: "3.11.7", ray: "2.58.0", node: "24.1.0", modelctl: "0.1.0" },
  ...{ serve_error: null, error: null },
};
const worker: NodeReport = {
  ...head,
  node_id: "bbbbbbbbbbbb",
  address: "10.0.0.6",
  is_head: false,
};

test("names the versions of each node, and marks the head", () => {
  expect(findingsOf([head, worker])).toEqual([
    {
      subject: "node",
      kind: "ok",
      sentence: "10.0.0.5 (head): Python 3.11.7, Ray 2.58.0, Node 24.1.0, modelctl 0.1.0",
    },
    {
      subject: "node",
      kind: "ok",
      sentence: "10.0.0.6: Python 3.11.7, Ray 2.58.0, Node 24.1.0, modelctl 0.1.0",
    },
  ]);
});

test.each<[change: Partial<NodeReport>, kind: string, sentence: string]>([
  [{ modelctl: null }, "warning", "Node 24.1.0, no modelctl"],
  [{ node: "20.19.5" }, "warning", "Node 20.19.5, modelctl 0.1.0"],
  [{ node: "22.9.0", modelctl: null }, "warning", "Node 22.9.0, no modelctl"],
  [{ node: "22.13.0" }, "ok", "Node 22.13.0"],
  [{ python: "3.12.1" }, "fault", "10.0.0.6: Python 3.12.1"],
  [{ python: "3.11.9" }, "ok", "Python 3.11.9"],
  [
    { serve_error: "No module named 'jinja2'" },
    "fault",
    "cannot import ray.serve: No module named",
  ],
  [{ error: "timed out", python: null }, "fault", "10.0.0.6 did not answer: timed out"],
])("judges a node with %j", (change, kind, sentence) => {
  const [, finding] = findingsOf([head, { ...worker, ...change }]);
  expect(finding).toMatchObject({ kind, sentence: expect.stringContaining(sentence) });
  expect(finding?.hint === undefined).toBe(kind === "ok");
});

test("asks for a newer Node where it is too old for modelctl", () => {
  const [, finding] = findingsOf([head, { ...worker, node: "20.19.5", modelctl: null }]);
  expect(finding?.hint).toBe(
    "Models of modelctl need Node 22.13 or newer: install it there, on the PATH of ray start.",
  );
});
