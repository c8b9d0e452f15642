// The memory estimate before a model is loaded.
import { expect, test } from "vitest";
import { fitOf, freeCardBytes, windowsOf } from "../../../source/application/models/memory-fit.ts";
import { loadSettings } from "../../../source/configuration/load-settings.ts";
import { parseNvidia } from "../../../source/metrics/gpu-sample.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";

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
  // A graphics card holds all of it, or the part that does not fit into memory.
  expect(await fitOf(large, settings, memory(4.1e9, 8e9))).toEqual({
    fits: true,
    sentence: expect.stringMatching(/^needs about 6 GiB: fits \(7\.5 GiB free on the card\)$/),
  });
  expect(await fitOf(large, settings, memory(4.1e9, 4e9))).toMatchObject({ fits: true });
  expect(await fitOf(large, settings, memory(2e9, 4e9))).toMatchObject({ fits: false });
});

test("the windows of a load are described with what limits them", async () => {
  expect(await windowsOf(tiny, settings, memory(4e9))).toEqual({
    window: "4096 tokens for each of 4 requests",
    limit: "the model's training",
    sliding: undefined,
  });
  const wide = { ...tiny, facts: { ...tiny.facts, cacheWidth: 32 * 8 * 256 } };
  expect(await windowsOf(wide, settings, memory(1.6e9))).toMatchObject({
    window: "4096 tokens for each of 2 requests (room for 2 of 4)",
  });
  const one = loadSettings({
    environment: { MODELCTL_NUM_PARALLEL: "1", MODELCTL_CONTEXT_LENGTH: "512" },
  }).values;
  expect(await windowsOf(tiny, one, memory(4e9))).toMatchObject({
    window: "512 tokens, one request at a time",
    limit: "the setting context_length",
  });
});

test("the tokens kept by sliding-window layers depend on the memory they take", async () => {
  const sliding = { ...tiny, facts: { ...tiny.facts, slidingWindow: 512 } };
  expect(await windowsOf(sliding, settings, memory(4e9))).toMatchObject({
    sliding: "512 tokens; its layers keep all, which takes little",
  });
  const wide = { ...tiny.parameters, num_ctx: 4096 };
  expect(await windowsOf({ ...sliding, parameters: wide }, settings, memory(1e7))).toMatchObject({
    sliding: "512 tokens",
  });
});

const mebibyte = 2 ** 20;
const cards = parseNvidia(
  "NVIDIA H200, 35, 1024, 143771, 45, 120.50\nTesla T4, 0, 3, 15360, 30, [N/A]\n",
);
const reader = { read: async () => cards };
const never = {
  read: async () => {
    throw new Error("the tools were asked");
  },
};

test("free graphics memory is the sum of all GPUs", async () => {
  const bytes = await freeCardBytes("cuda", () => true, reader, {});
  expect(bytes).toBe((143_771 - 1024 + 15_360 - 3) * mebibyte);
});

test("free graphics memory is unknown if a GPU does not report it, or there is none", async () => {
  const silent = parseNvidia("NVIDIA GB10, 0, [N/A], [N/A], 40, 5.0\n");
  const ask = async (samples: typeof cards) =>
    await freeCardBytes("cuda", () => true, { read: async () => samples }, {});
  expect(await ask(silent)).toBeUndefined();
  expect(await ask([])).toBeUndefined();
});

test("free graphics memory is not read if models run without a GPU, or on some of them", async () => {
  expect(await freeCardBytes("cpu", () => true, never, {})).toBeUndefined();
  expect(await freeCardBytes("metal", () => true, never, {})).toBeUndefined();
  expect(await freeCardBytes("auto", () => false, never, {})).toBeUndefined();
  const environment = { CUDA_VISIBLE_DEVICES: "0" };
  expect(await freeCardBytes("cuda", () => true, never, environment)).toBeUndefined();
});
