// The number of guessed tokens that a step checks, by measured costs, and the budget for wrong ones.
import { describe, expect, it } from "vitest";
import { DraftBudget, DraftPolicy } from "../../../source/engine/text/draft-policy.ts";

const sizes = [1, 4, 8, 16];

/** A policy that has measured steps of 1, 4, 8 and 16 tokens. */
function measured(...costs: Array<number | undefined>): DraftPolicy {
  const policy = new DraftPolicy();
  for (const [index, cost] of costs.entries()) learn(policy, sizes[index] ?? 1, cost);
  return policy;
}

function learn(policy: DraftPolicy, tokens: number, cost: number | undefined): void {
  if (cost !== undefined) policy.note({ tokens, cost, yielded: tokens }, new DraftBudget());
}

const choose = (policy: DraftPolicy, guessed: number, acceptance: number) =>
  policy.choose(guessed, acceptance, new DraftBudget());

describe("DraftPolicy", () => {
  it("drafts nothing before a plain step was measured, or without a guess", () => {
    expect(choose(measured(), 15, 1)).toBe(0);
    expect(choose(measured(20, 22, 24, 30), 2, 1)).toBe(0);
  });

  it("drafts more where a larger step is nearly free", () => {
    expect(choose(measured(20, 21, 22, 24), 15, 0.9)).toBe(15);
    expect(choose(measured(20, 21, 22, 24), 9, 0.9)).toBe(7);
  });

  it("drafts only what is likely to be right where each token costs time", () => {
    expect(choose(measured(20, 40, 90, 200), 15, 0.9)).toBe(3);
    expect(choose(measured(20, 40, 90, 200), 15, 0.5)).toBe(0);
  });

  it("tries a length that was never measured if the guesses are good", () => {
    expect(choose(measured(20), 15, 0.9)).toBeGreaterThan(0);
    expect(choose(measured(20), 15, 0.2)).toBe(0);
  });

  it("hardly drafts where measurements say that it is slower, but tries again", () => {
    const policy = measured(20, 200, 400, 800);
    const chosen = Array.from({ length: 5000 }, () => choose(policy, 15, 0.9));
    const drafts = chosen.filter((length) => length > 0);
    expect(drafts.length).toBeGreaterThan(3);
    expect(drafts.length).toBeLessThan(20);
  });

  it("chooses the same while another program makes all steps slower", () => {
    const policy = measured(20, 30, 44, 70);
    const alone = choose(policy, 15, 0.95);
    expect(alone).toBeGreaterThan(0);
    for (let step = 0; step < 9; step += 1) learn(policy, 1, 200);
    for (const [tokens, cost] of [
      [4, 300],
      [8, 440],
      [16, 700],
    ] as const)
      learn(policy, tokens, cost);
    expect(choose(policy, 15, 0.95)).toBe(alone);
  });

  it("is not misled by single slow steps", () => {
    const policy = new DraftPolicy();
    for (let step = 0; step < 20; step += 1) learn(policy, 1, step % 5 === 0 ? 400 : 20);
    learn(policy, 4, 2000);
    for (let step = 0; step < 3; step += 1) learn(policy, 4, 24);
    expect(choose(policy, 3, 0.9)).toBe(3);
    // A slow plain step does not make drafts look cheap.
    for (let step = 0; step < 5; step += 1) learn(policy, 4, 100);
    learn(policy, 1, 400);
    expect(choose(policy, 3, 0.9)).toBe(0);
  });
});

describe("DraftBudget", () => {
  /** Plain steps that an answer takes if each draft yields so many tokens. */
  function costOf(answer: number, stepCost: number, yielded: (draft: number) => number): number {
    const policy = measured(20, 20 * stepCost);
    const budget = new DraftBudget();
    let [tokens, cost, drafts] = [0, 0, 0];
    while (tokens < answer) {
      const drafted = policy.choose(3, 1, budget) > 0;
      const got = drafted ? yielded(drafts) : 1;
      if (drafted) drafts += 1;
      const taken = drafted ? stepCost : 1;
      policy.note({ tokens: drafted ? 4 : 1, cost: 20 * taken, yielded: got }, budget);
      tokens += got;
      cost += taken;
    }
    return cost;
  }

  it("limits what an answer loses by guesses that seem good and are wrong", () => {
    expect(costOf(250, 3, () => 1)).toBeLessThan(250 * 1.05);
    expect(costOf(2000, 3, () => 1)).toBeLessThan(2000 * 1.03);
  });

  it("stays open while drafts pay off, and for some wrong ones among them", () => {
    expect(costOf(400, 2, () => 4)).toBeLessThan(400 * 0.55);
    expect(costOf(400, 2, (draft) => (draft % 5 === 4 ? 1 : 4))).toBeLessThan(400 * 0.65);
  });

  it("spends no more on later drafts for earlier ones that paid off", () => {
    const before = costOf(200, 2, () => 4);
    expect(costOf(450, 2, (draft) => (draft < 50 ? 4 : 1)) - before).toBeLessThan(250 * 1.08);
  });
});
