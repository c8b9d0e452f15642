// Guesses are made only where they save time, and tried again now and then.
import { describe, expect, it } from "vitest";
import { DraftJudge } from "../../../source/engine/text/draft-judge.ts";

/** Plays steps; a drafted one gives `accepted` tokens. Returns how often a guess was allowed. */
function play(judge: DraftJudge, steps: number, draftMs: number, accepted: number): number {
  let drafts = 0;
  for (let step = 0; step < steps; step += 1) {
    const isDrafted = judge.allows();
    if (isDrafted) drafts += 1;
    judge.note(isDrafted, isDrafted ? accepted : 1, isDrafted ? draftMs : 10);
  }
  return drafts / steps;
}

describe("DraftJudge", () => {
  it("guesses all the time where guesses are right and cheap", () => {
    expect(play(new DraftJudge(), 500, 20, 8)).toBeGreaterThan(0.95);
  });

  it("hardly guesses where checking costs more than it saves", () => {
    const share = play(new DraftJudge(), 5000, 80, 2);
    expect(share).toBeLessThan(0.01);
    expect(share).toBeGreaterThan(0);
  });

  it("begins again when the text begins to repeat", () => {
    const judge = new DraftJudge();
    play(judge, 200, 20, 1);
    expect(play(judge, 5000, 20, 8)).toBeGreaterThan(0.7);
  });
});
