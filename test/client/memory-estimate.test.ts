// Tests the estimate for windows, KV cache types, slots and free memory.
import { describe, expect, test } from "vitest";
import {
  estimateMemory,
  type LoadChoice,
  nextCacheType,
  nextWindow,
} from "../../source/client/memory-estimate.ts";
import { capacity, eightB, gib, gpu } from "../ui/screens/models/sample-models.ts";

const automatic = { contextLength: undefined, cacheType: undefined };

describe("the parts of the estimate", () => {
  test("are the server's by default", () => {
    const estimate = estimateMemory(eightB, capacity(), automatic);
    expect(estimate).toMatchObject({ contextLength: 8192, cacheType: "f16" });
    expect(estimate.cacheBytes).toBe(147_456 * 8192);
    expect(estimate.totalBytes).toBe(5.25 * gib + 147_456 * 8192);
  });

  test("follow the window, the cache type and the slots", () => {
    const choice = { contextLength: 32_768, cacheType: "q8_0" } as const;
    const estimate = estimateMemory(eightB, capacity({ slots: 4 }), choice);
    expect(estimate).toMatchObject({ slots: 4, cacheBytes: 78_336 * 32_768 * 4 });
  });

  test("count as many slots as fit, and at least one", () => {
    const room = capacity({ slots: 4 });
    const slotsAt = (contextLength: number, windowRoomBytes: number) =>
      estimateMemory({ ...eightB, windowRoomBytes }, room, { ...automatic, contextLength }).slots;
    expect(slotsAt(8192, 10 * gib)).toBe(4);
    // A window of 32,768 tokens takes 4.5 GiB.
    expect(slotsAt(32_768, 10 * gib)).toBe(2);
    expect(slotsAt(32_768, 2 * gib)).toBe(1);
    expect(slotsAt(32_768, -gib)).toBe(1);
  });

  test("of a loaded model are those of its load", () => {
    const short = { ...eightB, windowRoomBytes: gib };
    const held = { size: 9 * gib, size_vram: 0, context_length: 8192, slots: 3 };
    const room = capacity({ slots: 4 });
    expect(estimateMemory(short, room, automatic, held).slots).toBe(3);
    // Another window reloads the model into its own and the free memory.
    const longer = { ...automatic, contextLength: 32_768 };
    expect(estimateMemory(short, room, longer, held).slots).toBe(2);
  });

  test("never count a window above the model's training length", () => {
    const choice = { contextLength: 131_072, cacheType: undefined };
    expect(estimateMemory(eightB, capacity(), choice).contextLength).toBe(40_960);
  });
});

describe("the fit", () => {
  const fitOf = (room: Parameters<typeof capacity>[0], choice: LoadChoice = automatic) =>
    estimateMemory(eightB, capacity(room), choice).fit;

  test("is the CPU without a GPU", () => {
    expect(fitOf({})).toBe("cpu");
    expect(fitOf({ memory: { totalBytes: 8 * gib, freeBytes: 4 * gib } })).toBe("none");
  });

  test("is the GPU, split, or none", () => {
    expect(fitOf({ gpus: [gpu(12 * gib)] })).toBe("gpu");
    expect(fitOf({ gpus: [gpu(4 * gib)] })).toBe("split");
    const little = { totalBytes: 2 * gib, freeBytes: gib };
    expect(fitOf({ gpus: [gpu(2 * gib)], memory: little })).toBe("none");
  });

  test("reserves some memory of each GPU for its driver", () => {
    const needed = estimateMemory(eightB, capacity(), automatic).totalBytes;
    expect(fitOf({ gpus: [gpu(needed)] })).toBe("split");
    expect(fitOf({ gpus: [gpu(needed + 400 * 1024 ** 2)] })).toBe("gpu");
  });

  test("uses the shared memory of a machine whose GPU has none of its own", () => {
    expect(fitOf({ hasUnifiedMemory: true })).toBe("gpu");
  });

  test("counts the memory of the model itself while it is loaded", () => {
    const room = capacity({ memory: { totalBytes: 8 * gib, freeBytes: gib } });
    const held = { size: 6.5 * gib, size_vram: 0, context_length: 8192, slots: 1 };
    expect(estimateMemory(eightB, room, automatic).fit).toBe("none");
    expect(estimateMemory(eightB, room, automatic, held).fit).toBe("cpu");
  });

  test("includes the number of layers on the GPU", () => {
    const split = estimateMemory(eightB, capacity({ gpus: [gpu(4 * gib)] }), automatic);
    expect(split.gpuLayers).toBeGreaterThan(15);
    expect(split.gpuLayers).toBeLessThan(37);
    const whole = estimateMemory(eightB, capacity({ gpus: [gpu(12 * gib)] }), automatic);
    expect(whole.gpuLayers).toBe(37);
  });

  test("depends on the length of the window", () => {
    const room = { memory: { totalBytes: 8 * gib, freeBytes: 7 * gib } };
    expect(fitOf(room)).toBe("cpu");
    expect(fitOf(room, { contextLength: 32_768, cacheType: undefined })).toBe("none");
  });
});

test("windows step through powers of two and stop at the ends", () => {
  expect(nextWindow(8192, 1)).toBe(16_384);
  expect(nextWindow(8000, 1)).toBe(8192);
  expect(nextWindow(8192, -1)).toBe(4096);
  expect(nextWindow(2048, -1)).toBe(2048);
  expect(nextWindow(1_048_576, 1)).toBe(1_048_576);
});

test("cache types cycle", () => {
  expect([nextCacheType("f16"), nextCacheType("q8_0"), nextCacheType("q4_0")]).toEqual([
    "q8_0",
    "q4_0",
    "f16",
  ]);
});
