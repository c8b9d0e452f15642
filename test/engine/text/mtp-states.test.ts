// States for MTP heads: which of a slot's tokens have one after it was cut, restored, or computed beside others.
import { describe, expect, it } from "vitest";
import type { AddonContext } from "../../../source/engine/text/addon.ts";
import { MtpStates, mtpKeptStates } from "../../../source/engine/text/mtp-states.ts";

const slotOf = (tokens: number[], id = 0) => ({ id, tokens });

/** States of two numbers, of which the first is the token's number in the order of all noted ones. */
function open() {
  let next = 0;
  const states = new MtpStates(
    {
      keepStates: () => {},
      states: (_context, count) =>
        Float32Array.from({ length: 2 * count }, (_, at) => (at % 2 === 0 ? next++ : 0)),
    },
    {} as AddonContext,
  );
  /** Notes a step of slots and adds its tokens to them. */
  const step = (
    slots: Array<{ id: number; tokens: number[] }>,
    tokens: number[],
    right = tokens.length,
  ) => {
    const isAnswer = right < tokens.length;
    const logits = isAnswer ? ("all" as const) : ("none" as const);
    const sampled = isAnswer ? Array.from({ length: right }, () => ({})) : [];
    states.note(slots.map((slot) => ({ slot, tokens, logits, sampled }) as never));
    for (const slot of slots) slot.tokens.push(...tokens.slice(0, right));
  };
  const known = (slot: { id: number; tokens: number[] }) => states.of(slot).map(([first]) => first);
  return { step, known };
}

describe("states of a slot", () => {
  it("are those of its last tokens, without wrong guesses", () => {
    const { step, known } = open();
    const slot = slotOf([]);
    step([slot], [5, 6, 7]);
    expect(known(slot)).toEqual([0, 1, 2]);
    step([slot], [8, 9, 10], 2);
    expect(known(slot)).toEqual([0, 1, 2, 3, 4]);
  });

  it("are kept for what is left of a slot", () => {
    const { step, known } = open();
    const slot = slotOf([]);
    step([slot], [5, 6, 7]);
    expect(known(slotOf([5, 6]))).toEqual([0, 1]);
    slot.tokens.pop();
    step([slot], [8]);
    expect(known(slot)).toEqual([0, 1, 3]);
    expect(known(slotOf([]))).toEqual([]);
  });

  it("are unknown after other tokens were restored, copied or read beside others", () => {
    const { step, known } = open();
    const [slot, other] = [slotOf([]), slotOf([], 1)];
    step([slot], [5, 6, 7]);
    expect(known(slotOf([5, 9, 7]))).toEqual([]);
    expect(known(slotOf([5, 6, 7, -1]))).toEqual([]);
    expect(known(other)).toEqual([]);
    step([slot, other], [8]);
    expect(known(slot)).toEqual([]);
    step([slot], [9]);
    expect(known(slot)).toEqual([3]);
  });

  it("are limited in number", () => {
    const { step, known } = open();
    const slot = slotOf([]);
    for (let at = 0; at < 3; at += 1) step([slot], new Array(300).fill(at));
    expect(known(slot)).toHaveLength(mtpKeptStates);
    expect(known(slot).at(-1)).toBe(899);
  });
});
