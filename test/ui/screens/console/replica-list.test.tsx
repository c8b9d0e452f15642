// Tests that replicas show load, state and the autoscaler's reasons, at any size.

import { expect, test } from "vitest";
import type { ReplicaDocument, ReplicaState } from "../../../../source/cloud/admin/documents.ts";
import { noFigures } from "../../../../source/ui/screens/console/app-figures.ts";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { ReplicaList } from "../../../../source/ui/screens/console/replica-list.tsx";
import { renderAt } from "../../support/render.tsx";
import { sampleApp, sampleReplica } from "./sample-cloud.ts";
import { consoleState, now, sampleEvent } from "./sample-state.ts";

function linesOf(state: ConsoleState, { width = 70, height = 9, isAscii = false } = {}) {
  const list = <ReplicaList state={state} width={width} height={height} now={now} />;
  return renderAt(list, { columns: width, isAscii }).lines();
}

function rowOf(replica: Partial<ReplicaDocument>): string {
  return linesOf(consoleState({ replicas: [sampleReplica(replica)] }))[1] ?? "";
}

test.each<[ReplicaState, string]>([
  ["PENDING", "◌ waiting"],
  ["SETUP", "◐ starting"],
  ["RUNNING", "● busy"],
  ["DRAINING", "◐ draining"],
  ["CRASH_BACKOFF", "✗ crashing"],
  ["LOST", "! lost"],
])("%s has a symbol and a word", (state, words) => {
  expect(rowOf({ state })).toContain(`aaaabbbb ${words}`);
});

test("a row shows load and start time, progress, or time left", () => {
  expect(rowOf({ inFlight: 2 })).toMatch(/● ready +████░░░░ 2\/4 started in 2\.00 s/);
  const starting = { progress: "loading", readyAt: undefined, startedAt: now - 5000 };
  expect(rowOf(starting)).toContain("loading, for 5 s");
  expect(rowOf({ expiresAt: now + 30_000, gpus: ["0"] })).toContain("30 s left, 1 GPU, started in");
});

test("an ended replica shows why", () => {
  const exit = { code: 1, signal: undefined, reason: "exited", sentence: "It ended.", tail: [] };
  expect(rowOf({ state: "TERMINATED", exit })).toMatch(/○ ended +It ended\./);
});

test("a crash is reported once: in the deployment's note, else in the replica's row", () => {
  const exit = {
    code: 1,
    signal: undefined,
    reason: "out_of_memory",
    sentence: "It took 9 GiB.",
    tail: [],
  };
  const replica = sampleReplica({ state: "CRASH_BACKOFF", exit });
  const events = [
    sampleEvent({ kind: "crashed", replica: replica.replica, sentence: "ended: It took 9 GiB." }),
    sampleEvent({ kind: "crashed", replica: "listed-no-more", sentence: "older crash" }),
  ];
  const alone = linesOf(consoleState({ replicas: [replica], events })).join("\n");
  expect(alone.match(/It took 9 GiB/g)).toHaveLength(1);
  expect(alone).toContain("older crash");
  const apps = [sampleApp({ state: "CRASH_BACKOFF", reason: "It took 9 GiB." })];
  const explained = linesOf(consoleState({ apps, replicas: [replica], events })).join("\n");
  expect(explained).toMatch(/✗ crashing +out of memory/);
  expect(explained).not.toContain("It took 9 GiB");
});

test("demand is shown with its target, and the autoscaler's reasons, newest first", () => {
  const events = [
    sampleEvent({ sentence: "older" }),
    sampleEvent({ sentence: "of another app", app: "embed" }),
    sampleEvent({ sentence: "newer" }),
  ];
  const figuresOf = () => ({ ...noFigures, inFlight: [1, 3], queued: [0, 2] });
  const lines = linesOf(consoleState({ events, figuresOf }));
  expect(lines[2]).toMatch(/in flight +▃█ +3 {2}target 3\.2 each/);
  expect(lines[3]).toMatch(/queue +▁█ +2 {2}waiting/);
  expect(lines[4]).toMatch(/\d\d:\d\d:\d\d newer/);
  expect(lines[5]).toContain("older");
  expect(lines.join("")).not.toContain("of another app");
});

test("without replicas says what to do next", () => {
  expect(linesOf(consoleState({ replicas: [] })).join("\n")).toContain(
    "No replicas; the next request starts one.",
  );
  const app = sampleApp();
  const apps = [{ ...app, scale: { ...app.scale, minConcurrency: 1 } }];
  expect(linesOf(consoleState({ apps, replicas: [] })).join("\n")).toContain("No replicas. ");
});

test("many replicas take half of the room, around the selected one", () => {
  const replicas = Array.from({ length: 30 }, (_, index) =>
    sampleReplica({ replica: `replica${index}` }),
  );
  const { selected } = consoleState();
  const lines = linesOf(
    consoleState(
      { replicas },
      {
        pane: "replicas",
        selected: { ...selected, replicas: { name: "replica20", index: 20 } },
      },
    ),
    { height: 12 },
  );
  expect(lines.filter((line) => line.includes("● ready"))).toHaveLength(4);
  expect(lines.join("\n")).toMatch(/> eplica20/);
  expect(lines.at(-1)).toContain("30");
});

test("long texts are cut with the terminal's ellipsis", () => {
  const events = [sampleEvent({ sentence: "word ".repeat(30) })];
  const exit = { code: 1, signal: undefined, reason: "exited", sentence: "s".repeat(90), tail: [] };
  const state = consoleState({ events, replicas: [sampleReplica({ exit })] });
  for (const isAscii of [false, true]) {
    const lines = linesOf(state, { width: 60, isAscii });
    expect(lines.filter((line) => line.includes(isAscii ? "~" : "…"))).toHaveLength(2);
    expect(lines.every((line) => line.length === 60)).toBe(true);
    expect(lines.join("").includes("…")).toBe(!isAscii);
  }
});
