// Estimated memory of a model, and the automatic window.
import { describe, expect, test } from "vitest";
import {
  automaticContextLength,
  fitSentence,
  fittingSlots,
  memoryNeed,
  wholeWindowBytes,
} from "../../../source/engine/scheduler/memory-plan.ts";
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

describe("the automatic window", () => {
  test("is large where there is room, and 4096 where there is little", () => {
    const choose = (left: number) => automaticContextLength(large, settings, left);
    expect(choose(195 * gib)).toBe(32_768);
    expect(choose(19 * gib)).toBe(8192);
    expect(choose(3 * gib)).toBe(4096);
    expect(choose(-5 * gib)).toBe(4096);
  });

  test("is never more than the model was trained for", () => {
    const short = { ...large, facts: { ...large.facts, trainedContextLength: 2048 } };
    expect(automaticContextLength(short, settings, 200 * gib)).toBe(2048);
  });
});

describe("slots", () => {
  /** Half a gibibyte of window in each. */
  const windows = { ...settings, contextLength: 4096 };
  const choose = (left: number, changes = {}) =>
    fittingSlots(large, { ...windows, ...changes }, left);

  test("are as many as configured if their windows fit, and fewer otherwise", () => {
    expect(choose(3 * gib)).toBe(4);
    expect(choose(2 * gib)).toBe(3);
    expect(choose(gib)).toBe(1);
    expect(choose(3 * gib, { contextLength: 8192 })).toBe(2);
    expect(choose(3 * gib, { contextLength: 8192, kvCacheType: "q8_0" })).toBe(4);
  });

  test("are at least one", () => {
    for (const left of [0, -5 * gib, Number.NEGATIVE_INFINITY]) expect(choose(left)).toBe(1);
  });

  test("are as configured for a model without a cache", () => {
    const light = { ...large, facts: { ...large.facts, cacheWidth: 0 } };
    expect(fittingSlots(light, windows, 0)).toBe(4);
  });
});

test("the log says if it fits, with both numbers", () => {
  const need = memoryNeed(large, settings);
  expect(fitSentence(need, 64 * gib)).toMatch(/needs about \d(\.\d)? GiB, 64 GiB free: fits/);
  expect(fitSentence(need, 6 * gib)).toContain("which is slow");
  expect(fitSentence(need, gib)).toContain("does not fit");
});

describe("a sliding window that keeps all tokens", () => {
  const model = { ...large, facts: { ...large.facts, slidingWindow: 1024 } };
  /** 2560 of 4096 tokens lie beyond the window and a step: 320 MiB. */
  const one = { ...settings, slots: 1, contextLength: 4096 };
  const bytes = 2560 * 32 * 8 * 256 * 2;

  test("is used if that takes at most a quarter of the weights", () => {
    expect(wholeWindowBytes(model, one, 20 * gib)).toBe(bytes);
    expect(wholeWindowBytes(model, { ...one, slots: 8 }, 20 * gib)).toBeUndefined();
    expect(wholeWindowBytes({ ...model, sizeBytes: gib }, one, 20 * gib)).toBeUndefined();
  });

  test("is not used if memory is short, or if no layer has one", () => {
    expect(wholeWindowBytes(model, one, gib)).toBeUndefined();
    expect(wholeWindowBytes(large, one, 20 * gib)).toBeUndefined();
  });

  test("costs nothing if the whole context lies within it", () => {
    expect(wholeWindowBytes(model, { ...one, contextLength: 1024 }, 20 * gib)).toBe(0);
  });
});
