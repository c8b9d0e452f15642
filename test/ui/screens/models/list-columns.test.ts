// Tests the state of a loading model in a column of ten cells.
import { expect, test } from "vitest";
import { localStateCell } from "../../../../source/ui/screens/models/list-columns.ts";
import type { LoadingModel } from "../../../../source/ui/screens/models/models-state.ts";

test.each<[LoadingModel["step"], number | undefined, string]>([
  ["load", undefined, "load"],
  ["load", 0.256, "load 25%"],
  ["load", 1, "load 99%"],
  ["check", 0.5, "read 50%"],
  ["check", 1, "read 99%"],
  ["warm", undefined, "warming up"],
])("%s at %s is `%s`", (step, fraction, words) => {
  const entry = { kind: "local", name: "big", model: undefined, estimate: undefined } as const;
  const loading = { name: "big", step, fraction };
  const { text } = localStateCell({ ...entry, loading, loaded: undefined, download: undefined });
  expect(text).toBe(step === "warm" ? words : `◐ ${words}`);
  expect(text.length).toBeLessThanOrEqual(10);
});
