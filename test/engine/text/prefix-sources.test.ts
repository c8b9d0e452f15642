// Reasons for prompts without cached tokens.
import { expect, test } from "vitest";
import { type ComparedPrompt, withMiss } from "../../../source/engine/text/prefix-sources.ts";

const prompt = { length: 500, shared: 0, isFirst: false };
const nothing = { length: 0, source: "none" } as const;

test.each<[Partial<ComparedPrompt>, object]>([
  [{ isFirst: true }, { source: "none", miss: "first prompt" }],
  [{}, { source: "none", miss: "begins otherwise" }],
  [{ shared: 20 }, { source: "none", miss: "begins otherwise" }],
  [{ length: 20 }, { source: "none", miss: "too short" }],
  [{ shared: 400 }, { source: "not kept" }],
])("%o", (change, expected) => {
  expect(withMiss(nothing, { ...prompt, ...change })).toEqual({ length: 0, ...expected });
});

test("a cached prefix has no reason", () => {
  const taken = { length: 400, source: "checkpoint" } as const;
  expect(withMiss(taken, { ...prompt, shared: 400 })).toEqual(taken);
});
