// Guesses are made only where they save time, and tried again now and then.
import { describe, expect, it } from "vitest";
import { DraftPolicy } from "../../../source/engine/text/draft-policy.ts";

/** Plays steps; a drafted one gives `accepted` tokens. Returns how often a guess was allowed. */
function play(policy: DraftPolicy, steps: number, draftMs: number, accepted: number): number {
  let drafts = 0;
  for (let step = 0; step < steps; step += 1) {
    const isDrafted = policy.allows();
    if (isDrafted) drafts += 1;
    policy.note(isDrafted, isDrafted ? accepted : 1, isDrafted ? draftMs : 10);
  }
  return drafts / steps;
}

describe("DraftPolicy", () => {
  it("guesses all the time where guesses are right and cheap", () => {
    expect(play(new DraftPolicy(), 500, 20, 8)).toBeGreaterThan(0.95);
  });

  it("hardly guesses where checking costs more than it saves", () => {
    const share = play(new DraftPolicy(), 5000, 80, 2);
    expect(share).toBeLessThan(0.01);
    expect(share).toBeGreaterThan(0);
  });

  it("begins again when the text begins to repeat", () => {
    const policy = new DraftPolicy();
    play(policy, 200, 20, 1);
    expect(play(policy, 5000, 20, 8)).toBeGreaterThan(0.7);
  });
});
