// Models that are unloaded from the graphics card for others, with numbers of cards of 8 and 141 GB.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { plainChat, plainRequest } from "../../../source/engine/request.ts";
import {
  CardMemory,
  loadSentence,
  roomNeed,
  shortageOf,
} from "../../../source/engine/scheduler/card-plan.ts";
import type { LoadedModel } from "../../../source/engine/scheduler/loaded-model.ts";
import { Scheduler } from "../../../source/engine/scheduler/scheduler.ts";
import { readGgufFacts } from "../../../source/store/gguf/gguf-facts.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";
import { tinyEngine, tinyFile, tinySettings } from "../../support/load-tiny.ts";

const gib = 1024 ** 3;
const need = (bytes: number) => ({ totalBytes: bytes, cardBytes: bytes });

describe("the room for a model", () => {
  it("is on the card if it fits there, however little memory the machine has", () => {
    // An H200 reported 150 754 820 096 bytes; 40 GB on it were in use.
    const free = { memoryBytes: 8 * gib, cardBytes: 150_754_820_096 - 40e9 };
    expect(shortageOf(need(60e9), free, [], true)).toBeUndefined();
  });

  it("is made on the card first, before the CPU computes a part of the model", () => {
    const free = { memoryBytes: 64 * gib, cardBytes: 2.1 * gib };
    expect(shortageOf(need(5 * gib), free, [], true)).toBe("card");
    // Nothing can be unloaded: using the machine's memory is better than no answer.
    expect(shortageOf(need(5 * gib), free, [], false)).toBeUndefined();
    expect(shortageOf(need(5 * gib), { ...free, memoryBytes: gib }, [], false)).toBe("memory");
  });

  it("leaves the driver its reserve, and models being loaded what they will take", () => {
    const free = { memoryBytes: 64 * gib, cardBytes: 8 * gib };
    expect(shortageOf(need(7.9 * gib), free, [], true)).toBe("card");
    expect(shortageOf(need(4 * gib), free, [], true)).toBeUndefined();
    expect(shortageOf(need(4 * gib), free, [need(5 * gib)], true)).toBe("card");
  });

  it("is in the machine's memory without a card", () => {
    const free = { memoryBytes: 6 * gib, cardBytes: undefined };
    expect(shortageOf(need(5 * gib), free, [], true)).toBeUndefined();
    expect(shortageOf(need(5 * gib), free, [need(2 * gib)], true)).toBe("memory");
  });

  it("counts only the layers on the card", async () => {
    const model = { facts: await readGgufFacts(tinyFile), sizeBytes: 5 * gib };
    const share = async (changes: Parameters<typeof tinySettings>[0]) => {
      const { totalBytes, cardBytes } = roomNeed(model, await tinySettings(changes));
      return cardBytes / totalBytes;
    };
    expect(await share({ device: "auto" })).toBe(1);
    expect(await share({ device: "auto", gpuLayers: 999 })).toBe(1);
    expect(await share({ device: "auto", layers: 31, gpuLayers: 8 })).toBe(0.25);
    expect(await share({ device: "cpu" })).toBe(0);
  });
});

describe("free memory on the card", () => {
  const device = { kind: "cpu", names: [], gpuLayers: 0, totalLayers: 33, reason: "" } as const;
  const nothing = { ramBytes: gib, vramBytes: 0 };

  it("is read once, before the first model, and then reported by the runners", async () => {
    let looks = 0;
    const card = new CardMemory(async () => {
      looks += 1;
      return 8 * gib;
    });
    await Promise.all([card.refresh(), card.refresh()]);
    expect([card.freeBytes, looks]).toEqual([8 * gib, 1]);
    const memory = { totalBytes: 8 * gib, freeBytes: 2 * gib };
    card.noteLoaded({ device: { ...device, kind: "cuda", names: [], memory }, memory: nothing });
    await card.refresh();
    expect([card.freeBytes, looks]).toEqual([2 * gib, 1]);
    // A model that a request keeps off the card, or whose engine does not see it.
    card.noteLoaded({ device: { ...device, names: [] }, memory: nothing });
    expect(card.freeBytes).toBe(2 * gib);
  });

  it("is dropped if the first model shows that no engine can use the card", async () => {
    const card = new CardMemory(async () => 8 * gib);
    await card.refresh();
    card.noteLoaded({ device: { ...device, names: [] }, memory: nothing });
    expect(card.freeBytes).toBeUndefined();
    await card.refresh();
    expect(card.freeBytes).toBeUndefined();
  });
});

it("a model's memory is free again after it is unloaded", () => {
  const card = new CardMemory();
  const device = { kind: "cuda", names: [], gpuLayers: 33, totalLayers: 33, reason: "" } as const;
  card.noteGone({ memory: { ramBytes: 0, vramBytes: gib } });
  expect(card.freeBytes).toBeUndefined();
  const memory = { ramBytes: 0, vramBytes: 5 * gib };
  card.noteLoaded({ device: { ...device, names: [] }, memory });
  expect(card.freeBytes).toBeUndefined();
  const reported = { totalBytes: 8 * gib, freeBytes: 2 * gib };
  card.noteLoaded({ device: { ...device, names: [], memory: reported }, memory });
  card.noteGone({ memory });
  expect(card.freeBytes).toBe(7 * gib);
  // An engine that cannot read the free memory.
  const unseen = { ramBytes: 0, vramBytes: 3 * gib };
  card.noteLoaded({ device: { ...device, names: [] }, memory: unseen });
  expect(card.freeBytes).toBe(4 * gib);
  card.noteGone({ memory: unseen });
  expect(card.freeBytes).toBe(7 * gib);
});

describe("a scheduler whose models are on a card", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "modelctl-card-"));
  const log: string[] = [];
  const card = new CardMemory();
  const scheduler = new Scheduler({
    catalog: new ModelCatalog(),
    engine: { ...tinyEngine, device: "auto" },
    keepAliveMs: 60_000,
    loadTimeoutMs: 60_000,
    maxLoadedModels: 4,
    freeBytes: () => 16 * gib,
    card,
    log: (text) => log.push(text),
    engineLog: () => {},
  });

  afterEach(async () => {
    await scheduler.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function load(name: string, sizeBytes?: number): Promise<LoadedModel> {
    const file = path.join(folder, `${name}.gguf`);
    copyFileSync(tinyFile, file);
    const request = plainRequest({
      model: file,
      isFileAllowed: () => true,
      input: plainChat([{ role: "user", content: "What is 2 + 3?" }]),
      parameters: { temperature: 0 },
    });
    const model = await scheduler.resolve(request);
    const asked = { ...model, name, ...(sizeBytes !== undefined && { sizeBytes }) };
    for await (const event of scheduler.run(request, asked, new AbortController().signal)) {
      expect(event.type).not.toBe("failed");
    }
    const loaded = scheduler.models.find((other) => other.model.name === name);
    if (loaded === undefined) throw new Error(`${name} is not loaded`);
    return loaded;
  }

  it("unloads the least recently used one, and logs it", async () => {
    // There is no card here: the runners report the values of a card of 8 GB.
    const onCpu = await load("on-cpu");
    expect(onCpu.facts?.device.memory).toBeUndefined();
    for (const name of ["first", "second"]) {
      const { facts } = await load(name);
      if (facts === undefined) throw new Error("a loaded model has facts");
      facts.memory = { ramBytes: 0, vramBytes: 3 * gib };
      facts.device.memory = {
        totalBytes: 8 * gib,
        freeBytes: name === "first" ? 5 * gib : 2 * gib,
      };
      card.noteLoaded(facts);
    }
    await load("third", 4 * gib);
    expect(scheduler.models.map(({ model }) => model.name)).toEqual(["third", "second", "on-cpu"]);
    expect(log).toContain(
      "unloading first: third needs room on the card (2 GiB free on the card), and it was used least recently",
    );
    expect(log.findLast((line) => line.startsWith("loading third"))).toContain(
      "(5 GiB free on the card)",
    );
  });
});

const splitModel = { facts: await readGgufFacts(tinyFile), sizeBytes: 20 * gib };
const splitSettings = await tinySettings({ device: "auto" });
const say = (memoryBytes: number, cardBytes?: number, changes = {}) =>
  loadSentence(splitModel, { ...splitSettings, ...changes }, { memoryBytes, cardBytes }, 4);

describe("the log line before a load", () => {
  it("a model that has room on the card fits, however little memory there is", () => {
    expect(say(16 * gib, 24 * gib)).toBe(
      "needs about 20 GiB: fits (24 GiB free on the card); window of 2048 tokens, limited by num_ctx",
    );
  });

  it("a model split between card and memory fits", () => {
    expect(say(16 * gib, 8 * gib)).toContain("needs about 20 GiB: fits (8 GiB free on the card)");
  });

  it("any other model depends on the machine's memory", () => {
    expect(say(8 * gib, 8 * gib)).toMatch(/8 GiB free: weights are read .* \(8 GiB free on the/);
    expect(say(32 * gib)).toMatch(/32 GiB free: fits;/);
    expect(say(8 * gib, 24 * gib, { gpuLayers: 1 })).toContain("weights are read");
  });

  it("fewer slots than configured are reported", () => {
    expect(say(32 * gib, undefined, { slots: 1 })).toMatch(
      /limited by num_ctx; room for 1 of 4 parallel requests$/,
    );
  });

  it("tokens kept by layers with a sliding window are reported", () => {
    const slidingWindow = 512;
    expect(say(32 * gib, undefined, { slidingWindow })).toMatch(
      /; layers with a sliding window keep 512 tokens/,
    );
    expect(say(32 * gib, undefined, { slidingWindow, keepsWholeWindow: true })).toContain(
      "layers with a sliding window of 512 tokens keep all",
    );
  });
});
