// Tests that the details of a deployment wrap at any width and scroll to their end.

import { expect, test } from "vitest";
import { AppDetails } from "../../../../source/ui/screens/console/app-details.tsx";
import type { DetailsFacts } from "../../../../source/ui/screens/console/detail-lines.ts";
import { renderAt } from "../../support/render.tsx";
import { sampleApp, sampleReplica, sampleRevision, sampleTraffic } from "./sample-cloud.ts";
import { now } from "./sample-state.ts";

const revision = sampleRevision();
const facts: DetailsFacts = {
  details: {
    ...sampleApp({
      state: "FAILED",
      reason: "exit code 1",
      overrides: ["maxConcurrency"],
      traffic: sampleTraffic(),
    }),
    revision: {
      ...revision,
      config: { ...revision.config, environment: { LOG: "1" }, secretNames: ["HF_TOKEN"] },
    },
    rollout: undefined,
  },
  revisions: [
    revision,
    sampleRevision({ revision: "r0001-0", state: "RETIRED", isPinned: true, message: "first" }),
  ],
  replicas: [
    sampleReplica({
      state: "TERMINATED",
      exit: {
        code: 1,
        signal: undefined,
        reason: "exited",
        sentence: "It ended with code 1.",
        tail: ["Traceback", "\u001b[31mValueError"],
      },
    }),
  ],
  callLines: ["curl http://127.0.0.1:8480/local/tiny/v1/models"],
};

function linesOf(top: number, { width = 100, height = 40 } = {}): string[] {
  const details = <AppDetails facts={facts} top={top} width={width} height={height} now={now} />;
  return renderAt(details, { columns: width }).lines();
}

test("shows state, settings, revisions, ended replicas and calls", () => {
  const shown = linesOf(0).join("\n");
  expect(shown).toMatch(/^╭─ local\/tiny ─/);
  for (const line of [
    /State +failed: exit code 1/,
    /URL +http:\/\/127\.0\.0\.1:8480\/local\/tiny/,
    /Access +private/,
    /Replicas +0 to 2, concurrency 4/,
    / {12}override the script: maxConcurrency/,
    /Traffic +r0002 90 %: 36 requests, 0 5xx, p95 40 ms/,
    / {12}r0003 10 %: 4 requests, 2 5xx, p95 40 ms/,
    / {12}set .*, next 50, 100 %; t promotes or aborts/,
    /Startup +port 8000, ready at \/health/,
    /Hardware +any machine, 0 GPUs/,
    /Variables +LOG/,
    /Secrets +HF_TOKEN/,
    /r0002 +active, /,
    /r0001 +retired, .*, pinned, first/,
    /aaaabbbb +ended: It ended with code 1\./,
    /\| Traceback/,
    /curl http/,
  ]) {
    expect(shown).toMatch(line);
  }
  expect(shown).toContain("│ Example calls ");
  expect(shown).not.toContain("\u001b[31m");
});

test("wraps texts in a narrow window", () => {
  const lines = linesOf(0, { width: 60 });
  expect(lines.every((line) => line.length === 60)).toBe(true);
  expect(lines.join("\n")).toMatch(/Replicas +0 to 2, .*\n│ {13}\S/);
});

test("counts the visible rows and ends with the last ones", () => {
  expect(linesOf(3, { height: 10 }).at(-1)).toMatch(/rows 4 to 11 of \d+/);
  const end = linesOf(1000, { height: 10 });
  expect(end.at(-2)).toContain("curl http");
  expect(linesOf(0).at(-1)).not.toContain("rows");
});
