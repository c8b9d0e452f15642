// Checkpoints within a memory budget.
import { expect, test } from "vitest";
import type { AddonCheckpoint, AddonContext } from "../../../source/engine/text/addon.ts";
import { Checkpoints } from "../../../source/engine/text/checkpoints.ts";
import { ImageTokens } from "../../../source/engine/text/image-tokens.ts";
import { Slot } from "../../../source/engine/text/slot.ts";

const bytesEach = 100;
let disposed = 0;

class FakeCheckpoint implements AddonCheckpoint {
  size = 0;
  async init(): Promise<void> {
    this.size = bytesEach;
  }
  dispose(): void {
    this.size = 0;
    disposed += 1;
  }
}

function checkpointsOf(slots: Slot<object>[], budgetBytes: number, isRestored = true) {
  const lines: string[] = [];
  const context = { restoreCheckpoint: async () => isRestored } as Partial<AddonContext>;
  const checkpoints = new Checkpoints(slots, {
    addon: { AddonContextSequenceCheckpoint: FakeCheckpoint },
    context: context as AddonContext,
    images: new ImageTokens(),
    budgetBytes,
    log: (line) => lines.push(line),
  });
  return { checkpoints, lines };
}

const lengthsOf = (slot: Slot<object>) => slot.checkpoints.map(({ length }) => length);

async function fill(slot: Slot<object>, checkpoints: Checkpoints<object>, lengths: number[]) {
  for (const length of lengths) {
    slot.tokens = Array.from({ length }, (_, token) => token);
    await checkpoints.make(slot);
  }
}

test("the least useful ones are dropped first", async () => {
  const slots = [new Slot<object>(0), new Slot<object>(1)];
  const [first, second] = slots as [Slot<object>, Slot<object>];
  const { checkpoints } = checkpointsOf(slots, 4 * bytesEach);
  await fill(first, checkpoints, [1000, 1040, 2000]);
  await fill(second, checkpoints, [500, 900]);
  expect(lengthsOf(first)).toEqual([1000, 2000]);
  expect(lengthsOf(second)).toEqual([500, 900]);
});

test("the longest one within the shared prefix is restored, and later ones are dropped", async () => {
  const slot = new Slot<object>(0);
  const { checkpoints } = checkpointsOf([slot], 1000);
  await fill(slot, checkpoints, [20, 100, 200, 300]);
  expect(lengthsOf(slot)).toEqual([100, 200, 300]);
  disposed = 0;
  expect(checkpoints.reach(slot, 250)).toBe(200);
  expect(await checkpoints.restore(slot, 250)).toBe(200);
  expect(slot.tokens).toHaveLength(200);
  expect(lengthsOf(slot)).toEqual([100, 200]);
  expect(disposed).toBe(1);
  expect(await checkpoints.restore(slot, 99)).toBe(0);
});

test("a failed restore is logged, and nothing is reused", async () => {
  const slot = new Slot<object>(0);
  const { checkpoints, lines } = checkpointsOf([slot], 1000, false);
  await fill(slot, checkpoints, [100]);
  expect(await checkpoints.restore(slot, 100)).toBe(0);
  expect(lines).toEqual(["a checkpoint could not be restored"]);
});
