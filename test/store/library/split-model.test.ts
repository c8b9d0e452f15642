// Models split into several files: all parts or none, and the engine finds them.
import { readFileSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { prune } from "../../../source/store/library/upkeep.ts";
import { loadTiny } from "../../support/load-tiny.ts";
import { entriesOf, openStore, type StoreFixture, writePart } from "../../support/model-store.ts";
import { splitTiny } from "../../support/split-tiny.ts";

const partName = (stem: string, number: number, count = 3) =>
  `${stem}-0000${number}-of-0000${count}.gguf`;

function writeParts(at: StoreFixture["at"], numbers = [1, 2, 3]): void {
  for (const number of numbers) writePart(at(partName("m", number)), number - 1, 3);
}

describe("parts in one folder", () => {
  test.each<[string, string[]]>([
    ["the first", [partName("m", 1)]],
    ["another", [partName("m", 3)]],
    ["all of them in any order", [partName("m", 3), partName("m", 1), partName("m", 2)]],
    ["their directory", ["."]],
  ])("named by %s mean the whole model", async (_, from) => {
    const { create, catalog, at } = openStore();
    writeParts(at);
    await create("split", { from });
    const { facts, sizeBytes } = await catalog.resolve("split");
    expect(facts.path).toBe(at(partName("m", 1)));
    const sizes = [1, 2, 3].map((number) => readFileSync(at(partName("m", number))).length);
    expect(facts.fileSize).toBe(sizes.reduce((a, b) => a + b));
    expect(sizeBytes).toBeGreaterThan(facts.fileSize);
  });

  test("run without being created first", async () => {
    const { catalog, at } = openStore();
    writeParts(at);
    expect((await catalog.resolve(at(partName("m", 1)))).facts.path).toBe(at(partName("m", 1)));
    await expect(catalog.resolve(at(partName("m", 2)))).rejects.toMatchObject({
      code: "STORE_DEFINITION_INVALID",
      hint: `Name the first: ${at(partName("m", 1))}`,
    });
  });

  test("with a missing one are refused, and it is named", async () => {
    const { create, catalog, at, blobs } = openStore();
    writeParts(at, [1, 3]);
    const hole = {
      code: "STORE_SPLIT_INCOMPLETE",
      message: expect.stringContaining("split into 3 files: part 2 is missing"),
    };
    for (const from of [[partName("m", 1)], ["."], [partName("m", 1), partName("m", 3)]]) {
      await expect(create("split", { from })).rejects.toMatchObject(hole);
    }
    await expect(catalog.resolve(at(partName("m", 1)))).rejects.toMatchObject(hole);
    await expect(catalog.resolve(at(partName("m", 2)))).rejects.toMatchObject({
      code: "STORE_FILE_MISSING",
    });
    expect(blobs()).toEqual([]);
  });

  test("of which one is deleted later fail with its name", async () => {
    const { create, catalog, at } = openStore();
    writeParts(at);
    await create("split", { from: [partName("m", 1)] });
    rmSync(at(partName("m", 2)));
    await expect(catalog.resolve("split")).rejects.toMatchObject({
      code: "STORE_REFERENCE_MISSING",
      message: expect.stringContaining(partName("m", 2)),
    });
  });
});

describe("parts with other names", () => {
  test("are ordered by their metadata", async () => {
    const { create, catalog, at } = openStore();
    const files = ["b.gguf", "c.gguf", "a.gguf"].map((name, index) =>
      writePart(at(name), index, 3),
    );
    await create("split", { from: ["a.gguf", "b.gguf", "c.gguf"] });
    const { facts } = await catalog.resolve("split");
    const folder = path.dirname(facts.path);
    const links = [1, 2, 3].map((number) =>
      realpathSync(path.join(folder, partName("model", number))),
    );
    expect(links).toEqual(files.map((file) => realpathSync(file)));
    expect(path.basename(facts.path)).toBe(partName("model", 1));
  });

  test.each([
    ["one part twice", 0, 2],
    ["parts of two models", 1, 3],
    ["a part out of range", 5, 2],
  ])("%s are refused", async (_, index, count) => {
    const { create, at } = openStore();
    const from = [writePart(at("a.gguf"), 0, 2), writePart(at("b.gguf"), index, count)];
    await expect(create("split", { from })).rejects.toMatchObject({
      code: "STORE_DEFINITION_INVALID",
      message: expect.stringContaining("does not belong to the same split model"),
    });
  });

  test("with a missing one are refused", async () => {
    const { create, at } = openStore();
    const from = [writePart(at("a.gguf"), 0, 3), writePart(at("b.gguf"), 1, 3)];
    await expect(create("split", { from })).rejects.toMatchObject({
      code: "STORE_SPLIT_INCOMPLETE",
      message: expect.stringContaining("part 3 is missing"),
    });
  });
});

describe("a real model in two parts", () => {
  test("answers from blobs, and recreates lost links", async () => {
    const { create, catalog, at, store } = openStore();
    const from = splitTiny(at("tiny-00001-of-00002.gguf"), at("tiny-00002-of-00002.gguf"));
    await create("split", { from }, { copy: true });
    for (const file of from) renameSync(file, `${file}.away`);
    const { facts, details } = await catalog.resolve("split");
    expect(facts.path).toContain(store.splitsFolder);
    expect(details.parameterSize).toBe("954K");
    rmSync(store.splitsFolder, { recursive: true });
    expect((await catalog.resolve("split")).facts.path).toBe(facts.path);
    const tiny = await loadTiny({ modelPath: facts.path });
    try {
      const { text } = await tiny.ask([
        { role: "user", content: "What is the capital of France?" },
      ]);
      expect(text).toContain("Paris");
    } finally {
      await tiny.runner.stop();
    }
  });

  test("answers from a read-only store", async () => {
    const { create, catalog, at, store } = openStore();
    const from = splitTiny(at("b.gguf"), at("a.gguf"));
    await create("split", { from });
    // A file in the folder's place: not even root can write into it.
    writeFileSync(store.splitsFolder, "");
    const { facts } = await catalog.resolve("split");
    // Links of this process's own, among the temporary files.
    onTestFinished(() => rmSync(path.resolve(facts.path, "../.."), { recursive: true }));
    expect(facts.path).toMatch(/-00001-of-00002\.gguf$/);
    expect(readFileSync(facts.path).equals(readFileSync(at("b.gguf")))).toBe(true);
    const second = facts.path.replace("00001-of", "00002-of");
    expect(readFileSync(second).equals(readFileSync(at("a.gguf")))).toBe(true);
  });

  test("keeps its links as long as it exists", async () => {
    const { create, catalog, at, store } = openStore();
    await create("split", { from: splitTiny(at("b.gguf"), at("a.gguf")) });
    const { facts } = await catalog.resolve("split");
    const age = () => utimesSync(path.dirname(facts.path), 0, 0);
    age();
    await prune(store);
    expect(entriesOf(store.splitsFolder)).toHaveLength(3);
    const [file] = await store.folder.files();
    if (file === undefined) throw new Error("there is no model");
    await store.removeManifest(file);
    age();
    await prune(store);
    expect(entriesOf(store.splitsFolder)).toEqual([]);
  });
});
