// The memory estimate before a model is loaded.
import { expect, test } from "vitest";
import {
  fitOf,
  freeCardBytes,
  slidingWindowOf,
} from "../../../source/application/models/memory-fit.ts";
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
