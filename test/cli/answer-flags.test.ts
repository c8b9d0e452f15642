// Flags of an answer as options of its request.
import { expect, test } from "vitest";
import { answerOptions } from "../../source/cli/answer-flags.ts";

test.each([
  ["true", true, {}],
  ["false", false, {}],
  ["high", "high", {}],
  ["512", true, { reasoning_budget: 512 }],
  ["-1", true, { reasoning_budget: -1 }],
  ["0", false, { reasoning_budget: 0 }],
])("--think=%s", (typed, think, parameters) => {
  expect(answerOptions({ think: typed })).toEqual({ think, parameters });
});
