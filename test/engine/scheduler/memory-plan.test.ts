// Estimated memory of a model.
import { describe, expect, test } from "vitest";
import { fitSentence, memoryNeed } from "../../../source/engine/scheduler/memory-plan.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { tinyFile } from "../../support/load-tiny.ts";

const gib = 1024 ** 3;
const tiny = await readGgufFacts(tinyFile);
/** Like an 8 B model: 32 layers, 8 grouped heads of 128. */
const large = {
  facts: {
    ...tiny,
    trainedContextLength: 131_072,
    cacheWidth: 32 * 8 * 256,
    slidingWindow: 0,
    embeddingLength: 4096,
  },
  sizeBytes: 5 * gib,
};
const settings = { contextLength: 8192, slots: 4, kvCacheType: "f16", batchSize: 512 } as const;

describe("the estimate", () => {
  test("knows the tiny model: 4 layers of 4 heads, 32 numbers each, keys and values", () => {
    expect(tiny.cacheWidth).toBe(4 * 4 * 64);
    const need = memoryNeed({ facts: tiny, sizeBytes: tiny.fileSize }, settings);
    expect(need.cacheBytes).toBe(4 * 4 * 64 * 8192 * 4 * 2);
    expect(need.weightsBytes).toBe(tiny.fileSize);
  });

  test("grows with the window, and shrinks with a smaller type", () => {
    const full = memoryNeed(large, settings).cacheBytes;
    expect(memoryNeed(large, { ...settings, contextLength: 16_384 }).cacheBytes).toBe(full * 2);
    const small = memoryNeed(large, { ...settings, kvCacheType: "q8_0" }).cacheBytes;
    expect(small / full).toBeCloseTo(34 / 64);
  });
});

test("the log says if it fits, with both numbers", () => {
  const need = memoryNeed(large, settings);
  expect(fitSentence(need, 64 * gib)).toMatch(/needs about \d(\.\d)? GiB, 64 GiB free: fits/);
  expect(fitSentence(need, 6 * gib)).toContain("which is slow");
  expect(fitSentence(need, gib)).toContain("does not fit");
});
