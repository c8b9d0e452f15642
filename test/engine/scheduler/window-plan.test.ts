// Length and number of a model's windows, with the memory that real machines reported.
import { describe, expect, it, test } from "vitest";
import { type EngineSettings, planLoad } from "../../../source/engine/scheduler/load-plan.ts";
import {
  computesOnCpu,
  wholeWindowBytes,
  windowRoom,
} from "../../../source/engine/scheduler/window-plan.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";
import { tinyEngine } from "../../support/load-tiny.ts";

const mib = 1024 ** 2;
const gib = 1024 ** 3;
const tiny = await new ModelCatalog().resolve("tiny");

function modelOf(changes: Partial<typeof tiny.facts>): typeof tiny {
  const facts = { ...tiny.facts, slidingWindow: 0, ...changes };
  return { ...tiny, facts, sizeBytes: facts.fileSize };
}

/** Llama 3.1 8B at Q4_K_M: 32 layers, 8 grouped heads of 128; 128 KiB for each token. */
const llama = modelOf({
  layers: 32,
  cacheWidth: 32 * 8 * 256,
  embeddingLength: 4096,
  vocabularySize: 128_256,
  trainedContextLength: 131_072,
  fileSize: 4_920_739_232,
});
/** Qwen2.5-Coder 1.5B and 0.5B at Q4_K_M: 28 and 12 KiB for each token. */
const qwen = modelOf({
  layers: 28,
  cacheWidth: 28 * 2 * 256,
  embeddingLength: 1536,
  vocabularySize: 151_936,
  trainedContextLength: 32_768,
  fileSize: 1_117_320_800,
});
const smallQwen = modelOf({
  layers: 24,
  cacheWidth: 24 * 2 * 128,
  embeddingLength: 896,
  vocabularySize: 151_936,
  trainedContextLength: 32_768,
  fileSize: 491_400_032,
});

const engine: EngineSettings = {
  ...tinyEngine,
  ...{ device: "auto", slots: 4, contextLength: undefined },
};

interface Machine {
  memoryBytes: number;
  cardBytes?: number | undefined;
}

function load(
  model: typeof tiny,
  { memoryBytes, cardBytes }: Machine,
  parameters = {},
  changes: Partial<EngineSettings> = {},
) {
  return planLoad(model, parameters, { ...engine, ...changes }, { memoryBytes, cardBytes });
}

/** `8192 x 4`: tokens and slots. */
function windows(...[model, machine, parameters, changes]: Parameters<typeof load>): string {
  const { contextLength, slots } = load(model, machine, parameters, changes);
  return `${contextLength} x ${slots}`;
}

/** Free memory as nvidia-smi reports it on idle cards, beside the memory of their machines. */
const cards = {
  "2 GB": { memoryBytes: 6 * gib, cardBytes: 1995 * mib },
  "8 GB": { memoryBytes: 28 * gib, cardBytes: 7833 * mib },
  "24 GB": { memoryBytes: 56 * gib, cardBytes: 24_245 * mib },
  H200: { memoryBytes: 128 * gib, cardBytes: 150_754_820_096 - 600_375_296 },
};

describe("the automatic window on a graphics card", () => {
  it.each([
    ["2 GB", llama, "4096 x 4"],
    ["2 GB", qwen, "4096 x 1"],
    ["2 GB", smallQwen, "6144 x 4"],
    ["8 GB", llama, "4096 x 4"],
    ["8 GB", qwen, "24576 x 4"],
    ["24 GB", llama, "16384 x 4"],
    ["24 GB", qwen, "32768 x 4"],
    ["H200", llama, "131072 x 4"],
  ] as const)("of %s", (card, model, expected) => {
    expect(windows(model, cards[card])).toBe(expected);
  });

  it("leaves half of the memory beside the weights to other models and programs", () => {
    const { windowLimit } = load(llama, cards["24 GB"]);
    expect(windowLimit).toMatch(/^half of the 18 GiB that the weights leave on the GPU$/);
    expect(load(qwen, cards["24 GB"]).windowLimit).toBe("the model's training");
  });

  it("is longer where fewer requests share the memory", () => {
    expect(windows(llama, cards["24 GB"], {}, { slots: 1 })).toBe("65536 x 1");
    expect(windows(llama, cards["24 GB"], { kv_cache_type: "q8_0" })).toBe("32768 x 4");
  });

  it("takes only what other models leave", () => {
    const { memoryBytes } = cards["24 GB"];
    // Beside another 8B model, and beside one that leaves room for little more than the weights.
    expect(windows(llama, { memoryBytes, cardBytes: 10 * gib })).toBe("4096 x 4");
    expect(windows(llama, { memoryBytes, cardBytes: 6.5 * gib })).toBe("4096 x 2");
    expect(load(llama, { memoryBytes, cardBytes: 6.5 * gib }).windowLimit).toBe(
      "short memory; automatic windows have at least 4096 tokens",
    );
  });

  it("stays short where only a part of the layers fits, as it would displace more", () => {
    const split = { memoryBytes: 128 * gib, cardBytes: 4 * gib };
    expect(windows(llama, split)).toBe("4096 x 4");
    const large = modelOf({ ...llama.facts, layers: 80, fileSize: 40 * gib });
    const { contextLength, windowLimit } = load(large, cards["24 GB"]);
    expect(contextLength).toBe(8192);
    expect(windowLimit).toBe("a quarter of the GPU's free memory, which the layers need");
  });

  it("counts the weights that are on the card, if experts stay in memory", () => {
    // Half of 40 GiB are experts.
    const experts = modelOf({ ...llama.facts, fileSize: 40 * gib, expertShare: 0.5 });
    expect(windows(experts, cards["24 GB"], {}, { slots: 1 })).toBe("32768 x 1");
    const { contextLength } = load(experts, cards["24 GB"], { n_cpu_moe: 32 }, { slots: 1 });
    expect(contextLength).toBe(8192);
  });

  it("is in the machine's memory if no layer is on the card", () => {
    for (const without of [{ num_gpu: 0 }, {}]) {
      const device = "num_gpu" in without ? "auto" : "cpu";
      expect(windows(llama, { ...cards.H200, memoryBytes: 8 * gib }, without, { device })).toBe(
        "4096 x 4",
      );
    }
  });
});

describe("the automatic window without a graphics card", () => {
  it.each([
    [8, llama, "4096 x 4"],
    [16, llama, "4096 x 4"],
    [24, llama, "8192 x 4"],
    [128, llama, "8192 x 4"],
    [8, qwen, "8192 x 4"],
    [16, qwen, "8192 x 4"],
    [24, qwen, "8192 x 4"],
    [8, smallQwen, "16384 x 4"],
    [24, smallQwen, "16384 x 4"],
  ] as const)("of %i GB", (gigabytes, model, expected) => {
    const platform = computesOnCpu("auto", undefined);
    const device = platform ? "auto" : "cpu";
    const free = { memoryBytes: gigabytes * gib - 0.6 * gib };
    expect(windows(model, free, {}, { device })).toBe(expected);
  });

  it("takes no more than the weights, since memory is written when it is reserved", () => {
    const { windowLimit } = load(llama, { memoryBytes: 128 * gib }, {}, { device: "cpu" });
    expect(windowLimit).toBe(
      "the time to load: windows in the machine's memory take at most 4.6 GiB",
    );
    const { windowLimit: share } = load(llama, { memoryBytes: 16 * gib }, {}, { device: "cpu" });
    expect(share).toBe("a quarter of the 11 GiB that the weights leave");
    const { windowLimit: little } = load(llama, { memoryBytes: 8 * gib }, {}, { device: "cpu" });
    expect(little).toMatch(/^short memory/);
  });

  it("grows on a GPU that uses the machine's memory", () => {
    expect(computesOnCpu("auto", undefined, "darwin")).toBe(false);
    expect(windows(llama, { memoryBytes: 56 * gib }, {}, { device: "metal" })).toBe("24576 x 4");
    expect(load(llama, { memoryBytes: 56 * gib }, {}, { device: "metal" }).windowLimit).toMatch(
      /^a quarter of the 5\d GiB that the weights leave$/,
    );
  });
});

describe("slots", () => {
  it("are fewer where the weights leave little", () => {
    const cpu = { device: "cpu" } as const;
    expect(windows(llama, { memoryBytes: 6 * gib }, {}, cpu)).toBe("4096 x 2");
    expect(windows(llama, { memoryBytes: 4 * gib }, {}, cpu)).toBe("4096 x 1");
  });

  it("adapt to a window that is named", () => {
    const memoryBytes = 8 * gib;
    const wide = { num_ctx: 32_768 };
    expect(windows(llama, { memoryBytes, cardBytes: 24 * gib }, wide)).toBe("32768 x 4");
    expect(windows(llama, { memoryBytes, cardBytes: 12 * gib }, wide)).toBe("32768 x 1");
    expect(load(llama, cards["24 GB"], wide).windowLimit).toBe("num_ctx");
    expect(load(llama, cards["24 GB"], {}, { contextLength: 512 }).windowLimit).toBe(
      "the setting context_length",
    );
    expect(load(llama, cards["24 GB"], { num_ctx: 1e6 }).windowLimit).toBe("the model's training");
  });

  it("are as configured for a model without a cache", () => {
    const light = modelOf({ cacheWidth: 0 });
    expect(windows(light, { memoryBytes: 0 })).toBe("4096 x 4");
  });
});

test("the room for windows is known for requests that need more", () => {
  const room = load(llama, cards["8 GB"]).windowRoomTokens;
  expect(room).toBeGreaterThan(4 * 4096);
  expect(room).toBeLessThan(24_576);
  expect(load(llama, cards.H200).windowRoomTokens).toBeGreaterThan(4 * 131_072);
  // Even if nothing fits, the loaded window is there.
  expect(load(llama, { memoryBytes: gib }).windowRoomTokens).toBe(4096);
});

test("the fuller side sets the limit where a request divides the layers", () => {
  const room = (gpuLayers: number, memoryBytes: number, cardBytes: number) =>
    windowRoom(llama, { device: "auto", gpuLayers, placement: {} }, { memoryBytes, cardBytes })
      .leftBytes;
  const reserve = 400 * mib;
  const weights = llama.sizeBytes;
  expect(room(99, gib, 8 * gib)).toBe(8 * gib - reserve - weights);
  expect(room(11, 8 * gib, 100 * gib)).toBeCloseTo(12 * gib - weights, -1);
  expect(room(11, 100 * gib, 4 * gib)).toBeCloseTo(3 * (4 * gib - reserve) - weights, -1);
});

describe("a sliding window that keeps all tokens", () => {
  const model = modelOf({ ...llama.facts, slidingWindow: 1024, fileSize: 5 * gib });
  /** 2560 of 4096 tokens lie beyond the window and a step: 320 MiB. */
  const one = { contextLength: 4096, slots: 1, kvCacheType: "f16", batchSize: 512 } as const;
  const bytes = 2560 * 32 * 8 * 256 * 2;

  test("is used if that takes at most a quarter of the weights", () => {
    expect(wholeWindowBytes(model, one, 20 * gib)).toBe(bytes);
    expect(wholeWindowBytes(model, { ...one, slots: 8 }, 20 * gib)).toBeUndefined();
    const light = modelOf({ ...model.facts, slidingWindow: 1024, fileSize: gib });
    expect(wholeWindowBytes(light, one, 20 * gib)).toBeUndefined();
  });

  test("is not used if memory is short, or if no layer has one", () => {
    expect(wholeWindowBytes(model, one, gib)).toBeUndefined();
    expect(wholeWindowBytes(llama, one, 20 * gib)).toBeUndefined();
  });

  test("costs nothing if the whole context lies within it", () => {
    expect(wholeWindowBytes(model, { ...one, contextLength: 1024 }, 20 * gib)).toBe(0);
  });
});
