// Guesses from the conversation, and the decision how many of them a step checks.
import { describe, expect, it } from "vitest";
import { DraftPolicy, LookupDraft } from "../../../source/engine/text/lookup-draft.ts";

const prompt = [1, 2, 3, 4, 5, 6, 7, 8, 9];

describe("LookupDraft", () => {
  it("guesses what followed the last three tokens before", () => {
    const lookup = new LookupDraft(prompt);
    for (const token of [2, 3]) lookup.push(token);
    expect(lookup.guess(4)).toEqual([]);
    lookup.push(4);
    expect(lookup.guess(4)).toEqual([5, 6, 7, 8]);
    lookup.push(5);
    expect(lookup.guess(2)).toEqual([6, 7]);
  });

  it("prefers the text that it follows to a later one with the same beginning", () => {
    const lookup = new LookupDraft([1, 2, 3, 4, 5, 6, 0, 2, 3, 4, 9, 9, 9]);
    for (const token of [2, 3, 4]) lookup.push(token);
    expect(lookup.guess(3)).toEqual([9, 9, 9]);
    const following = new LookupDraft([1, 2, 3, 4, 5, 6, 7, 0, 3, 4, 5, 9]);
    for (const token of [1, 2, 3]) following.push(token);
    for (const token of [4, 5]) following.push(token);
    expect(following.guess(2)).toEqual([6, 7]);
  });

  it("never guesses a token of an image, nor beyond what was written", () => {
    const lookup = new LookupDraft([1, 2, 3, 4, -7, -7, 5]);
    for (const token of [1, 2, 3]) lookup.push(token);
    expect(lookup.guess(8)).toEqual([4]);
    const repeating = new LookupDraft([]);
    for (const token of [1, 2, 3, 1, 2, 3]) repeating.push(token);
    expect(repeating.guess(8)).toEqual([1, 2, 3]);
  });

  it("learns from plain answers how often it is right", () => {
    const right = new LookupDraft(prompt);
    for (const token of prompt) right.push(token);
    expect(right.acceptance).toBeGreaterThan(0.8);
    const wrong = new LookupDraft(prompt);
    for (const token of [1, 2, 3, 0, 1, 2, 3, 10, 1, 2, 3, 20]) wrong.push(token);
    expect(wrong.acceptance).toBeLessThan(0.4);
  });

  it("guesses from a long prompt at once", () => {
    const long = Array.from({ length: 200_000 }, (_, index) => (index * 7919) % 50_021);
    const lookup = new LookupDraft(long);
    for (const token of long.slice(100, 103)) lookup.push(token);
    expect(lookup.guess(3)).toEqual(long.slice(100 + 3, 100 + 6));
  });
});

describe("DraftPolicy", () => {
  /** Steps that cost the first figure alone, and the others with 4, 8 and 16 tokens. */
  const costs = (...ms: Array<number | undefined>) => {
    const sizes = [1, 4, 8, 16];
    return new DraftPolicy((tokens) => ms[sizes.indexOf(tokens)]);
  };

  it("drafts nothing before a plain step was measured, or without a guess", () => {
    expect(costs().choose(15, 1)).toBe(0);
    expect(costs(20, 22, 24, 30).choose(2, 1)).toBe(0);
  });

  it("drafts more where a larger step is nearly free", () => {
    expect(costs(20, 21, 22, 24).choose(15, 0.9)).toBe(15);
    expect(costs(20, 21, 22, 24).choose(9, 0.9)).toBe(7);
  });

  it("drafts only what is likely to be right where each token costs time", () => {
    expect(costs(20, 40, 90, 200).choose(15, 0.9)).toBe(3);
    expect(costs(20, 40, 90, 200).choose(15, 0.5)).toBe(0);
  });

  it("tries a length that was never measured if the guesses are good", () => {
    expect(costs(20).choose(15, 0.9)).toBeGreaterThan(0);
    expect(costs(20).choose(15, 0.2)).toBe(0);
  });

  it("hardly drafts where measurements say that it is slower, but tries again", () => {
    const policy = costs(20, 200, 400, 800);
    const chosen = Array.from({ length: 5000 }, () => policy.choose(15, 0.9));
    const drafts = chosen.filter((length) => length > 0);
    expect(drafts.length).toBeGreaterThan(3);
    expect(drafts.length).toBeLessThan(20);
    expect(Math.max(...drafts)).toBe(3);
  });
});
