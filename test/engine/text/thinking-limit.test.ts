// The limit of a model's thinking: where it begins to count, and where it closes.
import { describe, expect, test } from "vitest";
import { ThinkingLimit } from "../../../source/engine/text/thinking-limit.ts";

const tags = { open: "<think>", close: "</think>" };

/** Pushes tokens and returns the number after which the thinking must be closed. */
function closedAfter(tokens: readonly string[], budget: number | undefined, startsInside = false) {
  const limit = new ThinkingLimit({ ...tags, startsInside, budget }, 1000);
  if (limit.isUsedUp) return 0;
  for (const [index, token] of tokens.entries()) {
    limit.push(Buffer.from(token, "latin1"));
    if (limit.isUsedUp) return index + 1;
  }
  return undefined;
}

describe("thinking", () => {
  test("is closed after as many tokens as the budget has", () => {
    expect(closedAfter(["<think>", "a", "b", "c"], 2)).toBe(3);
    expect(closedAfter(["<thi", "nk>\n", "a", "b", "c"], 2)).toBe(4);
    expect(closedAfter(["a", "b", "c"], 2, true)).toBe(2);
    expect(closedAfter(["a"], 0, true)).toBe(0);
  });

  test("is left alone without a budget, if it ends earlier, or if there is none", () => {
    expect(closedAfter(["<think>", "a", "b"], undefined)).toBeUndefined();
    expect(closedAfter(["<think>", "a", "</th", "ink>", "b", "c"], 3)).toBeUndefined();
    expect(closedAfter(["An ", "answer ", "with ", "<think>", "a", "b"], 1)).toBeUndefined();
  });

  test("is closed between two characters", () => {
    // The first two bytes of a character of three.
    expect(closedAfter(["<think>", "\xe2\x82", "\xac", "b"], 1)).toBe(3);
  });

  test("is closed at once when the answer is wanted now", () => {
    const limit = new ThinkingLimit({ ...tags, startsInside: true, budget: undefined }, 1000);
    limit.push(Buffer.from("a"));
    expect(limit.isUsedUp).toBe(false);
    limit.endNow();
    expect(limit.isUsedUp).toBe(true);
    expect(limit.closing).toBe("\n</think>\n\n");
  });
});

test("a budget leaves a quarter of the tokens for the answer", () => {
  const of = (budget: number | undefined, maxTokens: number) =>
    new ThinkingLimit({ ...tags, startsInside: false, budget }, maxTokens).reducedBudget;
  expect(of(100, 1000)).toBeUndefined();
  expect(of(32_000, 4096)).toBe(3072);
  expect(of(undefined, 4096)).toBeUndefined();
});
