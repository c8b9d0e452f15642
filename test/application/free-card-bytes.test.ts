// Free memory of the cards is measured only when models will use them.
import { expect, it } from "vitest";
import { freeCardBytes } from "../../source/application/free-card-bytes.ts";
import { parseNvidia } from "../../source/metrics/gpu-sample.ts";

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

it("is the sum of all GPUs", async () => {
  const bytes = await freeCardBytes("cuda", () => true, reader, {});
  expect(bytes).toBe((143_771 - 1024 + 15_360 - 3) * mebibyte);
});

it("is unknown if a GPU does not report it, or there is none", async () => {
  const silent = parseNvidia("NVIDIA GB10, 0, [N/A], [N/A], 40, 5.0\n");
  const ask = async (samples: typeof cards) =>
    await freeCardBytes("cuda", () => true, { read: async () => samples }, {});
  expect(await ask(silent)).toBeUndefined();
  expect(await ask([])).toBeUndefined();
});

it("is not read if models run without a GPU, or on some of them", async () => {
  expect(await freeCardBytes("cpu", () => true, never, {})).toBeUndefined();
  expect(await freeCardBytes("metal", () => true, never, {})).toBeUndefined();
  expect(await freeCardBytes("auto", () => false, never, {})).toBeUndefined();
  const environment = { CUDA_VISIBLE_DEVICES: "0" };
  expect(await freeCardBytes("cuda", () => true, never, environment)).toBeUndefined();
});
