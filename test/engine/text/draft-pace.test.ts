// Drafting is never noticeably slower than plain steps, and used where it is faster: whole answers with the times of
// machines, computed instead of waited for.
import { describe, expect, it } from "vitest";
import { type AnswerDrafts, DraftPace, newDrafts } from "../../../source/engine/text/draft-pace.ts";
import { createRandom } from "../../performance/random.ts";

interface Machine {
  /** Milliseconds of a step of the model with so many tokens. */
  step: (tokens: number) => number;
  draftMs: number;
  readMs: number;
  /** Prompt tokens for each millisecond. */
  promptRate: number;
}

/** Two cores: each row of a step costs time. */
const cpu: Machine = {
  step: (tokens) => 58 * (1 + 0.3 * (tokens - 1)),
  draftMs: 20,
  readMs: 5,
  promptRate: 0.066,
};
/** A card: a step of sixteen tokens takes as long as one of one. */
const card: Machine = { step: () => 25, draftMs: 3, readMs: 0.05, promptRate: 3 };

class Simulation {
  readonly pace: DraftPace;
  readonly #machine: Machine;
  readonly #random = createRandom(5);
  /** Sizes of the model's steps that were measured, as the governor would. */
  readonly #measured = new Set<number>();

  constructor(machine: Machine, sizeRatio: number) {
    this.#machine = machine;
    this.pace = new DraftPace({
      stepMs: (tokens) => (this.#measured.has(tokens) ? machine.step(tokens) : undefined),
      sizeRatio,
      most: 15,
    });
  }

  /** @returns the time of an answer relative to plain steps: above 1 is faster */
  answer(promptTokens: number, tokens: number, acceptance: number) {
    const { step, draftMs, readMs, promptRate } = this.#machine;
    const drafts: AnswerDrafts = newDrafts();
    this.pace.begin(drafts);
    const promptMs = promptTokens / promptRate;
    let [elapsedMs, generated, unread] = [promptMs, 1, promptTokens + 1];
    while (generated < tokens) {
      const left = tokens - generated;
      const plan = this.pace.plan(drafts, { elapsedMs, generated, room: left - 1, left, unread });
      if (plan === undefined) {
        this.#measured.add(1);
        elapsedMs += step(1);
        generated += 1;
        unread += 1;
        continue;
      }
      const read = Math.min(unread, plan.reads);
      const guesses = Array.from({ length: plan.most }, (_, place) => ({
        token: this.#random() % 1000 < 1000 * acceptance ? place : -1,
        probability: 0.95,
      }));
      const wrong = guesses.findIndex(({ token }) => token < 0);
      const accepted = wrong < 0 ? plan.most : wrong;
      const work = {
        read,
        readMs: read * readMs,
        steps: plan.most - 1,
        draftMs: (plan.most - 1) * draftMs,
      };
      const draftingMs = this.pace.noteDraft(drafts, work);
      elapsedMs += work.readMs + work.draftMs + step(plan.most + 1);
      this.#measured.add(plan.most + 1);
      const yielded = Array.from({ length: accepted + 1 }, (_, place) => place);
      generated += yielded.length;
      unread = 2;
      this.pace.noteRound(drafts, {
        milliseconds: draftingMs + step(plan.most + 1),
        ...{ guesses, yielded, elapsedMs },
      });
    }
    this.pace.end(drafts, generated);
    return { speed: (promptMs + (generated - 1) * step(1)) / elapsedMs, drafts };
  }

  /** The draft model reads the answer while nothing else is to do. */
  study(acceptance: number): void {
    const judged = Array.from({ length: 64 }, (_, at) => ({
      probability: 0.95,
      isRight: at < 64 * acceptance,
    }));
    const { draftMs, readMs } = this.#machine;
    this.pace.noteStudy({
      read: 200,
      readMs: 200 * readMs,
      steps: 4,
      draftMs: 4 * draftMs,
      judged,
    });
  }
}

describe.each([
  ["two cores", cpu, 0.4],
  ["a card", card, 0.1],
])("on %s", (_, machine, sizeRatio) => {
  it.each([0, 0.2, 0.5, 0.8, 1])(
    "no answer gets slower than 0.97 where %f are right",
    (acceptance) => {
      const simulation = new Simulation(machine, sizeRatio);
      const speeds = [200, 40, 500, 300, 100, 1000, 200, 200].map((tokens) => {
        const { speed } = simulation.answer(300, tokens, acceptance);
        simulation.study(acceptance);
        return speed;
      });
      expect(Math.min(...speeds)).toBeGreaterThan(0.97);
    },
  );

  it("says at which speed it was switched off", () => {
    const simulation = new Simulation(machine, sizeRatio);
    simulation.answer(300, 100, 1);
    simulation.study(1);
    const first = simulation.answer(300, 2000, 0);
    expect(first.drafts.offAt).toBeLessThan(0.97);
    expect(first.drafts.rounds).toBeGreaterThan(0);
    const second = simulation.answer(300, 2000, 0);
    expect(second.drafts.rounds).toBe(0);
    expect(second.drafts.offAt).toBe(first.drafts.offAt);
  });

  it("is tried again after some answers", () => {
    const simulation = new Simulation(machine, sizeRatio);
    simulation.answer(300, 100, 1);
    simulation.study(1);
    expect(simulation.answer(300, 2000, 0).drafts.offAt).toBeDefined();
    simulation.study(1);
    const rounds = Array.from({ length: 6 }, () => simulation.answer(30, 1500, 1).drafts.rounds);
    expect(rounds.some((count) => count > 0)).toBe(true);
  });
});

it("a draft model that is mostly right speeds up answers on a card", () => {
  const simulation = new Simulation(card, 0.1);
  simulation.answer(300, 200, 0.9);
  simulation.study(0.9);
  expect(simulation.answer(300, 300, 0.9).speed).toBeGreaterThan(2);
});

it("on two cores it does where the draft model is small, and not where it is half as slow", () => {
  const small = new Simulation({ ...cpu, draftMs: 6, readMs: 1.5 }, 0.1);
  small.answer(300, 200, 0.95);
  small.study(0.95);
  expect(small.answer(100, 300, 0.95).speed).toBeGreaterThan(1.2);
  const large = new Simulation({ ...cpu, draftMs: 30 }, 0.5);
  large.answer(300, 200, 0.95);
  large.study(0.7);
  const { drafts } = large.answer(100, 300, 0.95);
  expect(drafts.rounds).toBe(0);
  expect(drafts.offAt).toBeLessThan(1.05);
});
