// Tests the text of the status line, also when figures are missing or space is short.

import { describe, expect, test } from "vitest";
import type { ActivityPhase } from "../../../../source/chat/conversation/running-answer.ts";
import { ThroughputMeter } from "../../../../source/chat/conversation/running-answer.ts";
import type { AnswerStatistics } from "../../../../source/client/chat-events.ts";
import { distributeRows } from "../../../../source/ui/screens/chat/chat-layout.ts";
import type { AnswerFigures } from "../../../../source/ui/screens/chat/chat-state.ts";
import { statusRun } from "../../../../source/ui/screens/chat/status-text.ts";
import { isAsciiLocale } from "../../../../source/ui/theme.ts";

const model = { name: "tiny", contextLength: 4096 };

const statistics: AnswerStatistics = {
  finishReason: "stop",
  promptTokens: 12,
  cachedTokens: 0,
  completionTokens: 31,
  loadMs: 0,
  promptMs: 20,
  completionMs: 506.5,
  totalMs: 700,
};

function running(phase: ActivityPhase, elapsedMs = 0): string {
  const state = { activity: { phase, elapsedMs }, figures: undefined, contextTokens: undefined };
  return statusRun(state, model, 98).text;
}

function finished(figures: AnswerFigures, width = 98, contextLength = 4096): string {
  const { statistics: of } = figures;
  const contextTokens = of && of.promptTokens + of.completionTokens;
  const state = { activity: undefined, figures, contextTokens };
  return statusRun(state, { ...model, contextLength }, width).text;
}

describe("a running request", () => {
  test.each<[string, ActivityPhase]>([
    ["◐ waiting for the server", { type: "waiting" }],
    ["◐ starting the server", { type: "starting" }],
    ["◐ waiting, 2 ahead", { type: "queued", ahead: 2 }],
    ["◐ waiting, next in line", { type: "queued", ahead: 0 }],
    ["◐ checking a.gguf 62 %", { type: "checking", file: "a.gguf", fraction: 0.618 }],
    ["◐ loading tiny 62 %", { type: "loading", fraction: 0.618 }],
    ["◐ loading tiny 99 %", { type: "loading", fraction: 1 }],
    ["◐ warming up tiny", { type: "warming-up" }],
    ["◐ reading 2 014 tokens 58 %", { type: "prompt", completedTokens: 1168, totalTokens: 2014 }],
    ["◐ reading 0 tokens 0 %", { type: "prompt", completedTokens: 0, totalTokens: 0 }],
    ["◐ 61.2 tok/s · TTFT 182 ms", { type: "answering", tokensPerSecond: 61.23, ttftMs: 182.4 }],
    ["◐ TTFT 1.84 s", { type: "answering", tokensPerSecond: undefined, ttftMs: 1840 }],
  ])("%s", (expected, phase) => {
    expect(running(phase)).toBe(expected);
  });

  test("shows how long it has waited", () => {
    expect(running({ type: "waiting" }, 3240)).toBe("◐ waiting for the server 3.2 s");
  });
});

describe("a finished answer", () => {
  test("shows speed, TTFT, tokens and context", () => {
    expect(finished({ ttftMs: 182, statistics })).toBe(
      "61.2 tok/s · TTFT 182 ms · 12+31 tokens · context 43/4096",
    );
  });

  test("leaves out the least important in a narrow window", () => {
    expect(finished({ ttftMs: 182, statistics }, 50)).toBe(
      "61.2 tok/s · TTFT 182 ms · context 43/4096",
    );
    expect(finished({ ttftMs: 182, statistics }, 30)).toBe("61.2 tok/s · context 43/4096");
  });

  test("warns before the window is full", () => {
    expect(finished({ ttftMs: 182, statistics }, 98, 50)).toContain("context 43/50 · ! 86 % full");
    expect(finished({ ttftMs: 182, statistics }, 98, 44)).toContain(
      "! the next message may not fit",
    );
  });

  test("without figures shows only what is known", () => {
    expect(finished({ ttftMs: undefined, statistics: undefined })).toBe(
      "● ready · context window 4096",
    );
    const instant = { ...statistics, completionMs: 0 };
    expect(finished({ ttftMs: undefined, statistics: instant })).toBe(
      "12+31 tokens · context 43/4096",
    );
  });
});

describe("tokens per second", () => {
  test("is the mean over the last second", () => {
    const meter = new ThroughputMeter();
    expect(meter.rate(0)).toBeUndefined();
    meter.add(0);
    expect(meter.rate(0)).toBeUndefined();
    for (let time = 100; time <= 500; time += 100) meter.add(time);
    expect(meter.rate(500)).toBe(10);
    for (let time = 520; time <= 2000; time += 20) meter.add(time);
    expect(meter.rate(2000)).toBe(50);
    expect(meter.rate(4000)).toBe(0);
  });
});

describe("only ASCII may be drawn", () => {
  test.each([
    [{ LANG: "en_GB.UTF-8" }, "linux", false],
    [{ LC_ALL: "C", LANG: "en_GB.UTF-8" }, "linux", true],
    [{ LC_ALL: "", LC_CTYPE: "C.utf8" }, "linux", false],
    [{}, "linux", true],
    [{}, "win32", false],
  ])("%j on %s", (environment, platform, expected) => {
    expect(isAsciiLocale(environment, platform)).toBe(expected);
  });
});

test.each([
  [14, 1, 1],
  [14, 40, 3],
  [22, 3, 1],
  [78, 40, 9],
])("%i rows add up, with %i rows of input and %i of notice", (rows, typed, notice) => {
  const { transcriptRows, composerTextRows, statusRows } = distributeRows(rows, typed, notice);
  // The field has a border above and below.
  expect(transcriptRows + composerTextRows + 2 + statusRows).toBe(rows);
  expect(transcriptRows).toBeGreaterThanOrEqual(3);
});
