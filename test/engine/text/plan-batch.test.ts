// Tokens and requests of a step.
import { expect, test } from "vitest";
import { createJob, type Job } from "../../../source/engine/text/job.ts";
import { planBatch } from "../../../source/engine/text/plan-batch.ts";
import { Slot } from "../../../source/engine/text/slot.ts";

/** Slots whose requests have prompts of the given lengths, in order of arrival. */
function reading(...lengths: number[]): Slot<Job>[] {
  return lengths.map((length, id) => {
    const slot = new Slot<Job>(id);
    slot.job = createJob(
      id,
      {
        prompt: { segments: [] },
        maxTokens: 8,
        sampling: {
          temperature: 0,
          topK: 0,
          topP: 1,
          minP: 0,
          seed: 0,
          repeatPenalty: 1,
          repeatLastN: 64,
          presencePenalty: 0,
          frequencyPenalty: 0,
          logitBias: [],
        },
        stop: [],
        ignoreEndOfText: false,
        topLogprobs: undefined,
        grammar: undefined,
        visibleControlTexts: [],
      },
      { tokens: Array.from({ length }, (_, token) => token) },
      { contextLength: 4096, usesLookup: false, emit: () => {} },
    );
    return slot;
  });
}

/** Returns the lengths read by each step, request by request, until everything is read. */
function steps(slots: Slot<Job>[], chunk = { wanted: 64, most: 96 }, batchSize = 512) {
  const taken: Record<number, number>[] = [];
  while (true) {
    const policy = { batchSize, mixed: false, lookupTokens: 0, fillsLoneRows: false };
    const plan = planBatch(slots, policy, () => chunk, undefined, []);
    if (plan?.kind !== "prompt") return taken;
    taken.push(Object.fromEntries(plan.items.map(({ job, tokens }) => [job.id, tokens.length])));
    for (const { slot, job, tokens, logits } of plan.items) {
      job.read += tokens.length;
      expect(logits).toBe(job.read === job.promptTokens.length ? "last" : "none");
      if (job.read === job.promptTokens.length) slot.job = undefined;
    }
  }
}

test("a long prompt is read in chunks, with a short end in the last one", () => {
  expect(steps(reading(200))).toEqual([{ 0: 64 }, { 0: 64 }, { 0: 72 }]);
  expect(steps(reading(170))).toEqual([{ 0: 64 }, { 0: 64 }, { 0: 42 }]);
});

test("prompts are read whole rather than cut to fill a step", () => {
  expect(steps(reading(41, 41, 40, 41))).toEqual([
    { 0: 41, 1: 41 },
    { 2: 40, 3: 41 },
  ]);
  expect(steps(reading(50, 400))[0]).toEqual({ 0: 50 });
});

test("a step that would be nearly empty takes a part of the next prompt", () => {
  expect(steps(reading(5, 400))[0]).toEqual({ 0: 5, 1: 59 });
});

test("a step never exceeds the configured chunk or its own size", () => {
  expect(steps(reading(41, 41), { wanted: 16, most: 16 })).toEqual([
    { 0: 16 },
    { 0: 16 },
    { 0: 9 },
    { 1: 16 },
    { 1: 16 },
    { 1: 9 },
  ]);
  expect(steps(reading(41), { wanted: 64, most: 96 }, 32)).toEqual([{ 0: 32 }, { 0: 9 }]);
});

test("guesses are checked only for an answer that has the model to itself", () => {
  const slots = reading(3, 3);
  for (const { job } of slots) if (job !== undefined) job.next = 7;
  const policy = { batchSize: 512, mixed: false, lookupTokens: 3, fillsLoneRows: false };
  const planned = (busy: Slot<Job>[]) =>
    planBatch(busy, policy, () => ({ wanted: 64, most: 96 }), undefined, [1, 2, 3]);
  expect(planned(slots)).toMatchObject({ items: [{ tokens: [7] }, { tokens: [7] }] });
  expect(planned(slots.slice(0, 1))).toMatchObject({ items: [{ tokens: [7, 1, 2, 3] }] });
});
