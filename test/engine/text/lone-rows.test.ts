// Rows of a step that would be computed alone.
import { expect, test } from "vitest";
import { loneRows } from "../../../source/engine/text/lone-rows.ts";

/** Parts with the given numbers of tokens, by slot. */
const step = (lengths: Record<number, number>) =>
  Object.entries(lengths).map(([id, length]) => ({
    slot: { id: Number(id) },
    tokens: Array.from({ length }, () => 1),
  }));

test.each([
  ["one token alone", { 0: 1 }, [0]],
  ["two tokens of one slot", { 0: 2 }, []],
  ["neighbours", { 2: 1, 3: 1 }, []],
  ["no slots", { 0: 1, 2: 1 }, [0, 2]],
  ["one that stands apart", { 0: 1, 1: 1, 5: 1 }, [5]],
  ["a prompt that is one token longer than the next", { 0: 41, 1: 40 }, [0]],
  ["two neighbours that are", { 0: 40, 1: 41, 2: 41 }, []],
  ["two that are, and part when the one between them ends", { 0: 41, 1: 40, 2: 41 }, [0, 2]],
  ["one that outlives its neighbours", { 0: 3, 1: 1, 2: 2 }, [2]],
  ["much longer ones", { 0: 41, 1: 12 }, []],
  ["nothing", {}, []],
])("%s", (_, lengths, expected) => {
  expect(loneRows(step(lengths)).map(({ slot }) => slot.id)).toEqual(expected);
});
