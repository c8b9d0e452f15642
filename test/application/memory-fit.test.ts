// The memory estimate before a model is loaded.
import { expect, test } from "vitest";
import { fitOf, slidingWindowOf } from "../../source/application/memory-fit.ts";
import { loadSettings } from "../../source/configuration/load-settings.ts";
import { ModelCatalog } from "../../source/store/model-catalog.ts";

const settings = loadSettings({}).values;
const tiny = await new ModelCatalog().resolve("tiny");

const memory = (memoryBytes: number, cardBytes?: number) => ({ memoryBytes, cardBytes });

test("a model that fits, and one that does not, are reported with both sizes", async () => {
  expect(await fitOf(tiny, settings, memory(4e9))).toEqual({
    fits: true,
    sentence: expect.stringMatching(/^needs about \d+ MiB, 3\.7 GiB free: fits$/),
  });
  const large = { ...tiny, facts: { ...tiny.facts, fileSize: 6.3e9 } };
  expect(await fitOf(large, settings, memory(4.1e9))).toEqual({
    fits: false,
    sentence: expect.stringMatching(
      /^needs about 6 GiB, 3\.8 GiB free: weights are read from the disk/,
    ),
  });
  // A graphics card takes all of it, or the part that the memory has no room for.
  expect(await fitOf(large, settings, memory(4.1e9, 8e9))).toEqual({
    fits: true,
    sentence: expect.stringMatching(/^needs about 6 GiB: fits \(7\.5 GiB free on the card\)$/),
  });
  expect(await fitOf(large, settings, memory(4.1e9, 4e9))).toMatchObject({ fits: true });
  expect(await fitOf(large, settings, memory(2e9, 4e9))).toMatchObject({ fits: false });
});

test("the tokens kept by sliding-window layers depend on the memory they take", async () => {
  expect(await slidingWindowOf(tiny, settings, memory(4e9))).toBeUndefined();
  const sliding = { ...tiny, facts: { ...tiny.facts, slidingWindow: 512 } };
  expect(await slidingWindowOf(sliding, settings, memory(4e9))).toBe(
    "512 tokens; its layers keep all, which takes little",
  );
  const wide = { ...tiny.parameters, num_ctx: 4096 };
  expect(await slidingWindowOf({ ...sliding, parameters: wide }, settings, memory(1e7))).toBe(
    "512 tokens",
  );
});
