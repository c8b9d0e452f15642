// Guesses from the conversation.
import { describe, expect, it } from "vitest";
import { LookupDraft } from "../../../source/engine/text/lookup-draft.ts";

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
