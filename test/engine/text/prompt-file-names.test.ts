// Names of stored-prompt files depend on exactly what affects a sequence's state.
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LoadSettings } from "../../../source/engine/runner/load-settings.ts";
import { usablePrefix, weightsPrefix } from "../../../source/engine/text/prompt-file-names.ts";
import { tinySettings } from "../../support/load-tiny.ts";

let folder: string;
let settings: LoadSettings;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "modelctl-prompt-names-"));
  settings = await tinySettings();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const date = new Date("2030-01-01");

function file(name: string, content: string, modified = date): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  utimesSync(target, modified, modified);
  return target;
}

type Loaded = Parameters<typeof usablePrefix>[2];

const engine = (changes: { kind?: "cpu" | "cuda"; gpuLayers?: number; own?: string } = {}) => {
  const { kind = "cpu", gpuLayers = 0, own } = changes;
  const isOwn = own !== undefined;
  return {
    binary: { device: kind, file: own ?? "", extraBackendsFolder: undefined, isOwn },
    device: { kind, gpuLayers, names: [], totalLayers: 4, reason: "" },
  } as Loaded;
};

async function nameOf(changes: Partial<LoadSettings> = {}, loaded = engine()): Promise<string> {
  return await usablePrefix([file("weights", "weights")], { ...settings, ...changes }, loaded);
}

describe("the name of the weights", () => {
  const weights = (content: string, modified?: Date) =>
    weightsPrefix([file("other", content, modified)]);

  test("stays when their file is moved", async () => {
    expect(await weights("weights")).toBe(await weightsPrefix([file("weights", "weights")]));
  });

  test("changes with their content, their date, and their parts", async () => {
    const names = await Promise.all([weightsPrefix([file("a", "weights")])]);
    names.push(await weights("Weights"));
    names.push(await weights("weights", new Date("2031-01-01")));
    names.push(await weightsPrefix([file("a", "weights"), file("b", "more")]));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the name of a setup", () => {
  test("begins with that of the weights", async () => {
    expect(await nameOf()).toMatch(/^[0-9a-f]{24}-[0-9a-f]{24}-$/);
    const weights = await weightsPrefix([file("weights", "weights")]);
    expect((await nameOf()).startsWith(weights)).toBe(true);
  });

  test.each<[string, Partial<LoadSettings>]>([
    ["the window", { contextLength: 1024 }],
    ["the cache type", { kvCacheType: "q8_0" }],
    ["attention", { flashAttention: false }],
    ["the number of slots", { slots: 3 }],
    ["a setting that comes later", { ropeScale: 2 } as Partial<LoadSettings>],
  ])("changes with %s", async (_, changes) => {
    expect(await nameOf(changes)).not.toBe(await nameOf());
  });

  test("changes with the adapters, their content and their order", async () => {
    const lists = [["one"], ["two"], ["one", "two"], ["two", "one"]];
    const names = [await nameOf()];
    for (const list of lists) {
      names.push(await nameOf({ adapters: list.map((content) => file(content, content)) }));
    }
    expect(new Set(names).size).toBe(names.length);
  });

  test("changes with the engine: its device, its layers there, and its build", async () => {
    const engines = [engine(), engine({ kind: "cuda" }), engine({ kind: "cuda", gpuLayers: 2 })];
    engines.push(engine({ own: file("own", "a build") }), engine({ own: file("new", "another") }));
    const names = await Promise.all(engines.map((loaded) => nameOf({}, loaded)));
    expect(new Set(names).size).toBe(names.length);
  });

  test.each<[string, Partial<LoadSettings>]>([
    ["threads", { threads: 7 }],
    ["steps", { batchSize: 64, prefillChunk: 32 }],
    ["the queue", { maxQueue: 3 }],
    ["how the weights are read", { useMmap: false }],
  ])("does not change with %s", async (_, changes) => {
    expect(await nameOf(changes)).toBe(await nameOf());
  });
});
