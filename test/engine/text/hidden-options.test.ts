// Options that the engine extension sets: where they are left out, with which sentence, and how layers are fitted.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MtpSettings, Placement } from "../../../source/engine/runner/load-settings.ts";
import type { AddonBinary, AddonContext, AddonModel } from "../../../source/engine/text/addon.ts";
import {
  type EngineExtension,
  hasExtension,
  openExtension,
} from "../../../source/engine/text/engine-extension.ts";
import { cardReserveBytes, largestFit } from "../../../source/engine/text/fit-layers.ts";
import { hiddenOptions } from "../../../source/engine/text/hidden-options.ts";
import {
  distance,
  type LoadedMemoryModel,
  loadMemoryModel,
} from "../../support/load-memory-model.ts";

const binary = (device: AddonBinary["device"]): AddonBinary => ({
  device,
  file: "/nowhere/llama-addon.node",
  extraBackendsFolder: undefined,
  isOwn: false,
});
/** Names as the addon reports them. */
const cards = ["NVIDIA GeForce RTX 3090", "NVIDIA GeForce RTX 3060"];

/** Returns the options that reach a model, and the sentences. */
function applied(
  placement: Placement,
  names: readonly string[] = cards,
  missing?: string,
  mtp?: MtpSettings,
) {
  const set: unknown[] = [];
  const extension = {
    configureModel: (_model: AddonModel, options: object) => set.push(options),
    configureContext: (_context: AddonContext, options: object) => set.push(options),
  } as unknown as EngineExtension;
  const device = { binary: binary(names.length === 0 ? "cpu" : "cuda"), names };
  const options = hiddenOptions(
    { placement, unifiedCache: false, mtp },
    device,
    () => missing ?? extension,
  );
  options.applyToModel({} as AddonModel);
  return { set, warnings: options.warnings };
}

describe("options that the addon hides", () => {
  it("reach a model on two cards", () => {
    const placement: Placement = { cpuExpertLayers: 12, splitMode: "row", tensorSplit: [3, 1] };
    expect(applied(placement)).toEqual({ set: [placement], warnings: [] });
  });

  it.each<[Placement, readonly string[], string]>([
    [
      { tensorSplit: [2, 1, 1] },
      cards,
      "tensor_split 2,1,1 is left out: it is for 3 cards, but there are 2.",
    ],
    [
      { tensorSplit: [3, 1] },
      cards.slice(1),
      "tensor_split 3,1 is left out: it is for 2 cards, but there is 1.",
    ],
    [
      { tensorSplit: [3, 1] },
      [],
      "tensor_split 3,1 is left out: it is for 2 cards, but there is no card.",
    ],
    [{ mainGpu: 2 }, cards, "main_gpu 2 is left out: cards count from 0, and there are 2."],
  ])(
    "are left out with a sentence where the cards are missing: %j",
    (placement, names, warning) => {
      expect(applied(placement, names)).toEqual({ set: [], warnings: [warning] });
    },
  );

  it("leave the others in force", () => {
    const { set } = applied({ splitMode: "none", mainGpu: 1, tensorSplit: [1, 1, 1] });
    expect(set).toEqual([{ splitMode: "none", mainGpu: 1 }]);
  });

  it("divide layers only where the device can", () => {
    const device = { binary: binary("vulkan"), names: cards };
    const placement: Placement = { splitMode: "row" };
    const { warnings } = hiddenOptions(
      { placement, unifiedCache: false, mtp: undefined },
      device,
      () => "none",
    );
    expect(warnings).toEqual(["split_mode row is left out: vulkan cannot divide layers."]);
  });

  it("need no extension on a CPU, whose memory has the experts anyway", () => {
    expect(applied({ cpuExpertLayers: 4 }, [], "none is built for cpu")).toEqual({
      set: [],
      warnings: [],
    });
  });

  it("name the extension if it is missing", () => {
    const { warnings } = applied(
      { cpuExpertLayers: 4, tensorSplit: [1, 1] },
      cards,
      "none is built",
    );
    expect(warnings).toEqual([
      "n_cpu_moe and tensor_split have no effect without the engine extension: none is built. " +
        "Build it with modelctl engine build --extension --gpu cuda.",
    ]);
  });

  it("load MTP heads on any device, and name the extension if it is missing", () => {
    const mtp = { contextLength: 256, most: 3, activeBytes: 1, memoryBytes: 1 };
    expect(applied({}, [], undefined, mtp)).toEqual({ set: [{ loadMtp: true }], warnings: [] });
    expect(applied({}, [], "none is built for cpu", mtp).warnings).toEqual([
      "spec_type has no effect without the engine extension: none is built for cpu. " +
        "Build it with modelctl engine build --extension.",
    ]);
  });

  it("cannot be set with a build of the engine for this machine", () => {
    expect(openExtension({ ...binary("cpu"), isOwn: true })).toMatch(/for this machine have none/);
  });
});

describe("layers on two cards", () => {
  // A 27 GB model of 48 layers on cards of 24 and 12 GB, as their driver reports them.
  const free = [25_294_995_456, 12_482_248_704];
  const layerBytes = 5.6e8;
  const needs = (shares: readonly number[]) => async (layers: number) => {
    const sum = shares.reduce((total, share) => total + share, 0);
    const bytes = shares.map((share) => (layers * layerBytes * share) / sum);
    const all = { bytes: layers * layerBytes, freeBytes: free.reduce((a, b) => a + b, 0) };
    return [all, ...bytes.map((own, card) => ({ bytes: own, freeBytes: free[card] ?? 0 }))];
  };

  it("fill both where the split follows their memory", async () => {
    expect(await largestFit(49, needs([2, 1]))).toBe(49);
  });

  it("are as many as the smaller one holds where the split is even", async () => {
    const layers = await largestFit(49, needs([1, 1]));
    expect(layers).toBe(Math.floor(((free[1] ?? 0) - cardReserveBytes) / (layerBytes / 2)));
    expect(layers).toBeLessThan(49);
  });
});

describe.skipIf(!hasExtension("cpu"))("one cache for all parallel requests", () => {
  let separate: LoadedMemoryModel;
  let unified: LoadedMemoryModel;
  beforeAll(async () => {
    separate = await loadMemoryModel("dense", { slots: 2, batchSize: 64 });
    unified = await loadMemoryModel("dense", { slots: 2, batchSize: 64, unifiedCache: true });
  });
  afterAll(async () => await Promise.all([separate.stop(), unified.stop()]));

  it("gives the same probabilities, also after a copy, a cut and a restored conversation", async () => {
    const chat = (first: number) =>
      Array.from({ length: 150 }, (_, at) => 20 + ((at * first) % 700));
    const compare = async (tokens: number[]) => {
      const [expected, answer] = [await separate.ask(tokens), await unified.ask(tokens)];
      expect(distance(expected, answer)).toBeLessThan(0.05);
    };
    const [one, two, three] = [chat(7), chat(11), chat(13)];
    await Promise.all([compare(one), compare([...one.slice(0, 100), ...two])]);
    await compare(three);
    await compare([...one, ...two.slice(0, 30)]);
    await compare(three.slice(0, 80));
    expect(unified.warnings).toEqual([]);
  }, 60_000);
});
