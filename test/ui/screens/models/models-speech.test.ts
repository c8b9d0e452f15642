// Tests the models in words, for screen readers.

import { describe, expect, test } from "vitest";
import { addProgress, startDownload } from "../../../../source/client/download.ts";
import { spokenModels } from "../../../../source/ui/screens/models/models-speech.ts";
import {
  failed,
  type ModelsState,
  received,
} from "../../../../source/ui/screens/models/models-state.ts";
import { filtered, hubModel, loaded, local, nowMs, stateWith } from "./sample-models.ts";

const linesOf = (state: ModelsState) => spokenModels(state).live;

const one = stateWith([local("qwen3:8b")]);

test("prints the number of models and the selected one", () => {
  expect(linesOf(one)).toEqual([
    "List local: 1 model",
    "Selected: qwen3:8b, 5 GB, Q4_K_M, context 40k, fits on the CPU, 1 of 1",
  ]);
  expect(linesOf(stateWith([]))).toEqual(["List local: 0 models", "Selected: none"]);
});

describe("the selected model", () => {
  test("is printed with its state", () => {
    const running = received([loaded("qwen3:8b")], nowMs);
    expect(linesOf({ ...one, running })[1]).toMatch(/fits on the CPU, loaded, 1 of 1$/);
    expect(linesOf({ ...one, running, source: "running" })[1]).toBe(
      "Selected: qwen3:8b, 5.6 GiB in memory, idle, 1 of 1",
    );
    const loading = [{ name: "qwen3:8b", step: "check", fraction: 0.3 }] as const;
    expect(linesOf({ ...one, loading })[1]).toMatch(/, checking, 1 of 1$/);
    const warming = [{ name: "qwen3:8b", step: "warm", fraction: undefined }] as const;
    expect(linesOf({ ...one, loading: warming })[1]).toMatch(/, warming up, 1 of 1$/);
  });

  test("is printed with its download", () => {
    const record = { status: "pulling x", overall_total: 100, overall_completed: 43 };
    const download = addProgress(startDownload("new:latest"), record, nowMs);
    expect(linesOf(stateWith([], { downloads: [download] }))[1]).toBe(
      "Selected: new:latest, download running at 43 percent, 1 of 1",
    );
  });

  test("of the hub is printed with its downloads and its gate", () => {
    const hub = received([hubModel("org/model", { isGated: true })], nowMs);
    expect(linesOf(stateWith([], { source: "hub", hub }))[1]).toBe(
      "Selected: hf.co/org/model, 12k downloads, gated, 1 of 1",
    );
  });
});

test("prints errors, long work and the field", () => {
  const state = {
    ...filtered(one, "qw"),
    isTyping: true,
    work: "creating mine",
    local: failed(one.local, "No server answers."),
  };
  const lines = linesOf(state);
  expect(lines).toContain("Error: No server answers.");
  expect(lines).toContain("creating mine");
  expect(lines.at(-1)).toBe("Filter: qw");
});
