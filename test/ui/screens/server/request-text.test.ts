// Tests that a request shows its phases and texts, without control sequences.

import { describe, expect, test } from "vitest";
import type { Loadable } from "../../../../source/client/live/loadable.ts";
import type { RequestTexts } from "../../../../source/client/requests.ts";
import { formatRequestLine } from "../../../../source/client/requests.ts";
import {
  phasesText,
  requestLines,
  requestText,
  summaryLines,
} from "../../../../source/ui/screens/server/request-text.ts";
import type { TextRun } from "../../../../source/ui/text/text-run.ts";
import { requestView } from "../../support/request-views.ts";

const options = { width: 40, isAscii: false, isWrapped: true };

function textOf(lines: readonly (readonly TextRun[])[]): string[] {
  return lines.map((line) => line.map(({ text }) => text).join(""));
}

describe("the detail", () => {
  test("shows the phases in order", () => {
    expect(phasesText(requestView())).toBe(
      "queued 20 ms → prompt 800 ms (2014 tokens, 1210 cached) → answer 1.28 s (71 tokens); first token after 840 ms, 2.10 s total",
    );
    const nothing = { queueMs: undefined, promptMs: undefined, completionMs: undefined };
    const open = requestView({
      state: "running",
      status: undefined,
      totalMs: undefined,
      ...nothing,
      firstTokenMs: undefined,
    });
    expect(phasesText(open)).toBe("no timings yet");
  });

  test("shows how many guessed tokens were right", () => {
    const guessed = requestView({ drafted: 30, accepted: 26 });
    expect(phasesText(guessed)).toContain("answer 1.28 s (71 tokens, 26 of 30 drafted accepted);");
    expect(formatRequestLine(guessed)).toContain("26 of 30 drafted accepted");
  });

  test("shows the progress of a prompt", () => {
    const reading = { promptTokens: 9000, cachedTokens: 0, readTokens: 3000, promptMs: 90_000 };
    const rest = { state: "running", completionMs: undefined, firstTokenMs: undefined } as const;
    const view = requestView({ ...rest, ...reading, totalMs: undefined });
    expect(phasesText(view)).toBe("queued 20 ms → reading 3000 of 9000 tokens, 3 minutes left");
  });

  test("shows where the start of the prompt came from, or why it was computed", () => {
    const told = (change: Parameters<typeof requestView>[0]) =>
      /\((2014[^)]*)\)/.exec(phasesText(requestView(change)))?.[1];
    expect(told({ cachedFrom: "checkpoint" })).toBe("2014 tokens, 1210 cached: checkpoint");
    expect(told({ cachedTokens: 0, cachedFrom: "not kept" })).toBe(
      "2014 tokens, 0 cached: not kept",
    );
    expect(told({ cachedTokens: 0, cachedFrom: "none", cacheMiss: "first prompt" })).toBe(
      "2014 tokens, 0 cached: first prompt",
    );
    expect(told({ cachedTokens: 0, cachedFrom: "none" })).toBe("2014 tokens");
  });

  test("names the trace of a request", () => {
    const lines = summaryLines(requestView({ traceId: "0af7" }), { ...options, width: 100 });
    expect(textOf(lines).join("\n")).toContain("trace 0af7");
  });

  test("shows the client and the settings used", () => {
    const text = textOf(
      summaryLines(requestView({ keyId: "ci" }), { ...options, width: 100 }),
    ).join("\n");
    expect(text).toContain("key ci  from 127.0.0.1  curl/8  streamed  slot 1  finish: stop");
    expect(text).toContain("temperature 0.7");
  });

  test.each([
    [{ by: "client", address: "10.0.0.2" }, "cancelled by the client"],
    [{ by: "api", address: "10.0.0.2", agent: "modelctl" }, "cancelled on the Server screen"],
    [{ by: "api", address: "10.0.0.2" }, "cancelled with POST /api/cancel from 10.0.0.2"],
    [{ by: "api", address: "10.0.0.2", keyId: "ci" }, "cancelled with POST /api/cancel by key ci"],
  ] as const)("shows who cancelled: %j", (cancelled, words) => {
    const view = requestView({ state: "cancelled", status: 499, cancelled });
    const rows = textOf(summaryLines(view, { ...options, width: 100, isWrapped: false }));
    expect(rows[0]).toContain("⊘ cancelled");
    expect(rows[3]).toBe(words);
    expect(formatRequestLine(view)).toMatch(new RegExp(`^499 .*  ${words}$`));
  });

  test("shows warnings right below the phases, where the preview has room for them", () => {
    const warnings = ['Ignored option: "temprature" (did you mean temperature?).'];
    const inPreview = { ...options, width: 100, isWrapped: false };
    const text = textOf(summaryLines(requestView({ warnings }), inPreview));
    expect(text[3]).toBe(`! ${warnings[0]}`);
  });

  test("shows recorded prompt and answer, escaped and wrapped", () => {
    const texts = { prompt: "one\n\u001b[2Jtwo", answer: "word ".repeat(30).trim(), body: "{}" };
    const read = { kind: "loaded", value: texts } as const;
    const rows = textOf(requestLines(requestView(), read, options));
    expect(rows).toContain("^[[2Jtwo");
    expect(rows.every((row) => row.length <= 40)).toBe(true);
    const cut = textOf(requestLines(requestView(), read, { ...options, isWrapped: false }));
    expect(cut.length).toBeLessThan(rows.length);
    expect(requestText(requestView(), read)).toContain("word ".repeat(30).trim());
  });

  test("says why there is nothing to read", () => {
    const nothing = { prompt: undefined, answer: undefined, body: undefined };
    const rows = (texts: Loadable<RequestTexts>) =>
      textOf(requestLines(requestView(), texts, { ...options, width: 200 })).join("\n");
    expect(rows({ kind: "loaded", value: nothing })).toContain("Press P to record new requests");
    expect(rows({ kind: "failed", sentence: "request r-1 not found" })).toContain("not found");
    expect(rows({ kind: "loading" })).toContain("Loading prompt and answer");
  });
});
