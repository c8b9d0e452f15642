// Tests the progress of a launch, event by event.
import { describe, expect, test } from "vitest";
import type { EphemeralEvent } from "../../../../source/cloud/admin/documents.ts";
import type { Launch } from "../../../../source/ui/screens/deploy/deploy-state.ts";
import { linePrefix } from "../../../../source/ui/screens/deploy/form.ts";
import {
  afterEvent,
  beginLaunch,
  failLaunch,
  isOngoing,
  stopLaunch,
} from "../../../../source/ui/screens/deploy/launch.ts";
import { pageOf } from "../../../../source/ui/screens/deploy/steps.ts";
import { appDetails, deployResult, loaded, stateOf } from "./sample-answers.ts";

const build: EphemeralEvent = { kind: "phase", phase: "build", sentence: "making", elapsedMs: 0 };
const start: EphemeralEvent = { kind: "phase", phase: "start", sentence: "calling", elapsedMs: 0 };
const done: EphemeralEvent = { kind: "done", result: deployResult() };
const failed: EphemeralEvent = {
  kind: "failed",
  code: "CLOUD_START_FAILED",
  sentence: "It did not start.",
  exitCode: 6,
  reason: "exception",
  tail: ["one", "boom"],
};

function following(launch: Launch, ...events: EphemeralEvent[]): Launch {
  return events.reduce(
    (state, event, index) => afterEvent(state, event, index * 100 + 100),
    launch,
  );
}

function textOf(launch: Launch, known = {}): string {
  const page = pageOf({ ...stateOf("launch", {}, known), launch });
  return [page.question, ...page.lines.map((line) => linePrefix(line) + line.text)].join("\n");
}

describe("phases", () => {
  test("end when the next one begins, and keep their newest sentence", () => {
    const { phases } = following(
      beginLaunch(false, 0),
      build,
      { ...build, sentence: "made" },
      start,
    );
    expect(phases).toMatchObject([
      { phase: "send", startedAtMs: 0, endedAtMs: 100 },
      { phase: "build", sentence: "made", startedAtMs: 100, endedAtMs: 300 },
      { phase: "start", startedAtMs: 300, endedAtMs: undefined },
    ]);
  });

  test("end with the stream", () => {
    const live = following(beginLaunch(false, 0), build, done);
    expect(live.phases.every(({ endedAtMs }) => endedAtMs !== undefined)).toBe(true);
    expect(live).toMatchObject({ state: "live", result: { revision: "r0004-bbbbbbbb" } });
  });
});

describe("the log", () => {
  test("keeps its last lines, each once after a failure", () => {
    const one: EphemeralEvent = { kind: "log", text: "one\r\ntwo\n" };
    const { log } = following(beginLaunch(false, 0), one, failed);
    expect(log).toEqual(["one", "two", "boom"]);
  });

  test("is bounded", () => {
    const texts = Array.from({ length: 700 }, (_, index) => `line ${index}`);
    const { log } = following(beginLaunch(false, 0), { kind: "log", text: texts.join("\n") });
    expect(log).toHaveLength(500);
    expect(log.at(-1)).toBe("line 699");
  });

  test("shows the same warning once", () => {
    const warning: EphemeralEvent = { kind: "warning", code: "retried", sentence: "again" };
    expect(following(beginLaunch(false, 0), warning, warning).warnings).toEqual(["again"]);
  });
});

describe("the end", () => {
  test("of a failure has the sentence, its reason, and what is still active", () => {
    const known = { app: loaded(appDetails()) };
    const text = textOf(following(beginLaunch(false, 0), start, failed), known);
    expect(text).toContain("chat failed to launch");
    expect(text).toContain("✗ start");
    expect(text).toContain("It did not start.");
    expect(text).toContain("exception");
    expect(text).toContain("r0003-aaaaaaaa was active before");
  });

  test("of a success has the address, the revision and the duration", () => {
    const text = textOf(following(beginLaunch(false, 0), done));
    expect(text).toContain("chat is live");
    expect(text).toContain("http://127.0.0.1:8480/local/chat");
    expect(text).toContain("r0004-bbbbbbbb, active, ready after 1.84 s");
  });

  test("of a server that cannot chat has its own address and a plain call", () => {
    const result = { ...deployResult(), api: { kind: "http" } } as const;
    const callLines = [`curl ${result.url}/`];
    const launch = following(beginLaunch(false, 0), { kind: "done", result });
    const text = textOf({ ...launch, callLines });
    expect(text).toMatch(/URL +http:\/\/127\.0\.0\.1:8480\/local\/chat$/m);
    expect(text).toContain("curl http://127.0.0.1:8480/local/chat/");
    expect(textOf(following(beginLaunch(false, 0), done))).toContain("/local/chat/v1");
  });

  test("of an interrupted stream is a failure", () => {
    const broken = failLaunch(following(beginLaunch(false, 0), build), "The server is gone.", 500);
    expect(broken).toMatchObject({ state: "failed", sentence: "The server is gone." });
    expect(textOf(broken)).toContain("The server is gone.");
  });
});

describe("a run", () => {
  test("continues until it is stopped", () => {
    const live = following(beginLaunch(true, 0), done);
    expect(isOngoing(live)).toBe(true);
    expect(isOngoing(following(beginLaunch(false, 0), done))).toBe(false);
    expect(stopLaunch(live, 9)).toMatchObject({ state: "ended", sentence: "You stopped it." });
  });

  test("may end by itself", () => {
    const exit = { code: 0, sentence: "It has ended with exit code 0." };
    const ended = following(beginLaunch(true, 0), done, { kind: "ended", exit } as EphemeralEvent);
    expect(ended).toMatchObject({ state: "ended", sentence: exit.sentence });
  });
});
