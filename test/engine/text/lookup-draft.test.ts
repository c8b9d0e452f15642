// Drafts are used only if they save time, and retried occasionally.
import { describe, expect, it } from "vitest";
import { DraftPolicy } from "../../../source/engine/text/lookup-draft.ts";

/** Plays steps; a drafted one yields `accepted` tokens. Returns the share of drafted steps. */
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
  it("drafts all the time if drafts are right and cheap", () => {
    expect(play(new DraftPolicy(), 500, 20, 8)).toBeGreaterThan(0.95);
  });

  it("hardly drafts if checking costs more than it saves", () => {
    const share = play(new DraftPolicy(), 5000, 80, 2);
    expect(share).toBeLessThan(0.01);
    expect(share).toBeGreaterThan(0);
  });

  it("drafts again when the text starts to repeat", () => {
    const policy = new DraftPolicy();
    play(policy, 200, 20, 1);
    expect(play(policy, 5000, 20, 8)).toBeGreaterThan(0.7);
  });
});
