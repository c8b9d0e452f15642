// Tests that screen readers get changed states and events once, and the selection of the focused pane.

import { expect, test } from "vitest";
import { spokenConsole } from "../../../../source/ui/screens/console/console-speech.ts";
import type { ConsoleState } from "../../../../source/ui/screens/console/console-state.ts";
import { LogBuffer } from "../../../../source/ui/screens/console/log-buffer.ts";
import { sampleApp, sampleKey, sampleRevision } from "./sample-cloud.ts";
import { consoleState, gone, logOf, now, sampleEvent } from "./sample-state.ts";

function heard(state: ConsoleState, log = new LogBuffer()): readonly string[] {
  return spokenConsole(state, log, now).live;
}

function finished(state: ConsoleState, log = new LogBuffer()): readonly string[] {
  return spokenConsole(state, log, now).finished;
}

test("prints the connection, the pane, the filter and the selection", () => {
  expect(heard(consoleState({}, { filter: "ti" }))).toEqual([
    "Control plane, this machine: connected",
    "Pane: apps, filter ti",
    "Selected: tiny",
  ]);
  expect(heard(consoleState({ link: gone, apps: [] }))).toEqual([
    "Control plane, this machine: The control plane does not answer.",
    "Pane: apps",
  ]);
});

test("prints the selected replica and key in their panes, and the log's filter in its pane", () => {
  expect(heard(consoleState({}, { pane: "replicas" }))).toContain("Replica: aaaabbbb, ready");
  expect(heard(consoleState({}, { pane: "keys" }))).toContain("Key: ci, active");
  const log = logOf("one");
  log.setFilters({ text: "o" });
  expect(heard(consoleState({}, { pane: "logs" }), log)).toContain("Pane: logs, filter o");
});

test("prints a new key as long as it is shown", () => {
  const made = { document: { key: sampleKey(), token: "dk_new" }, isCopied: false };
  expect(heard(consoleState({}, { made }))).toContain("New key, shown only once: dk_new");
});

test("prints states and events as single lines; the log only in its pane", () => {
  const apps = [sampleApp({ state: "FAILED", reason: "bad\u001b[31m" })];
  const events = [sampleEvent({ sentence: "1 replica more" })];
  const log = logOf("\u001b[32mPOST\u001b[0m 200");
  const lines = finished(consoleState({ apps, events }), log);
  expect(lines[0]).toMatch(/^tiny: failed, .*, bad \[31m$/);
  expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d tiny: 1 replica more$/);
  expect(lines).toHaveLength(2);
  const inLog = finished(consoleState({ apps, events }, { pane: "logs" }), log);
  expect(inLog.at(-1)).toMatch(/aaaabbbb +POST 200$/);
});

test("prints details in place of the deployments", () => {
  const facts = {
    details: { ...sampleApp(), revision: sampleRevision(), rollout: undefined },
    revisions: [],
    replicas: [],
    callLines: ["curl"],
  };
  const lines = finished(consoleState({}, { details: { facts, top: 0 } }), logOf());
  expect(lines).toContain("State       ready");
  expect(lines).toContain("Example calls");
  expect(lines.at(-1)).toMatch(/^ {12}curl$/);
});
