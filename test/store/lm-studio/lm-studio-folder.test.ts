// LM Studio's model folder: which models are in it, under which names, and what can be done with them.
import { copyFileSync, mkdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { tinyFile } from "../../support/command-line.ts";
import {
  entriesOf,
  openStore,
  projectorFile,
  temporaryFolder,
  visionFile,
} from "../../support/model-store.ts";
import { splitTiny } from "../../support/split-tiny.ts";

/** @param files paths in LM Studio's folder, each a copy of the tiny model */
function withFiles(...files: string[]) {
  const folder = temporaryFolder();
  const at = (file: string) => {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    return path.join(folder, file);
  };
  for (const file of files) copyFileSync(tinyFile, at(file));
  const store = openStore(undefined, { lmStudioFolder: () => folder });
  const list = async () => await store.catalog.listModels({ store: "lm-studio" });
  const names = async () => (await list()).models.map(({ name }) => name).sort();
  return { ...store, theirs: folder, theirsAt: at, list, names };
}

describe("names", () => {
  test("are publisher, model and quantization", async () => {
    const { names, catalog } = withFiles("infra-ai/ocelot-v1/ocelot-v1-instruct-q4_0.gguf");
    expect(await names()).toEqual(["infra-ai/ocelot-v1:Q4_0"]);
    const found = await catalog.resolve("Infra-AI/Ocelot-V1:q4_0");
    expect(found).toMatchObject({ name: "infra-ai/ocelot-v1:Q4_0", store: "lm-studio" });
    expect(found.facts.path).toMatch(/ocelot-v1-instruct-q4_0\.gguf$/);
  });

  test("without a tag mean the default of a pull", async () => {
    const { catalog } = withFiles("a/b/b-Q8_0.gguf", "a/b/b-Q4_K_M.gguf", "a/b/b-IQ2_XXS.gguf");
    expect((await catalog.resolve("a/b")).name).toBe("a/b:Q4_K_M");
    const { catalog: other } = withFiles("a/b/b-Q6_K.gguf");
    expect((await other.resolve("a/b")).name).toBe("a/b:Q6_K");
  });

  test("of the hub find local files by their quantization, given or default", async () => {
    const { catalog } = withFiles("a/b/b-Q4_K_M.gguf", "a/c/c-Q6_K.gguf");
    expect((await catalog.resolve("hf.co/a/b")).name).toBe("a/b:Q4_K_M");
    expect((await catalog.resolve("https://huggingface.co/A/c:q6_k")).name).toBe("a/c:Q6_K");
    // The hub's repository may have a Q4_K_M.
    await expect(catalog.resolve("hf.co/a/c")).rejects.toMatchObject({
      code: "STORE_MODEL_NOT_FOUND",
    });
    await expect(catalog.resolve("example.com/a/b:Q4_K_M")).rejects.toMatchObject({
      code: "STORE_MODEL_NOT_FOUND",
    });
  });

  test("are the files' if these have no quantization, or two have the same", async () => {
    const { names, catalog } = withFiles(
      "a/b/b.gguf",
      "a/two/first-Q8_0.gguf",
      "a/two/second-Q8_0.gguf",
    );
    expect(await names()).toEqual(["a/b:b", "a/two:Q8_0", "a/two:second-Q8_0"]);
    for (const name of await names()) expect((await catalog.resolve(name)).name).toBe(name);
  });

  test("that only the hub allows are the hub's", async () => {
    const { names, catalog } = withFiles("acme.io/b/b-F16.gguf");
    expect(await names()).toEqual(["hf.co/acme.io/b:F16"]);
    expect((await catalog.resolve("hf.co/acme.io/b:F16")).store).toBe("lm-studio");
  });

  test("that cannot be typed are reported", async () => {
    const { list } = withFiles("my stuff/odd one/x.gguf", "a/b/b-Q8_0.gguf", "a/b/odd one.gguf");
    const { models, problems } = await list();
    expect(models.map(({ name }) => name)).toEqual(["a/b:Q8_0"]);
    expect(problems.map(({ path: file }) => path.basename(file))).toEqual([
      "odd one.gguf",
      "x.gguf",
    ]);
    expect(problems[1]?.message).toContain("run it by its path");
  });

  test("of our own store come first", async () => {
    const { create, catalog, tinyAt } = withFiles("a/b/b-Q8_0.gguf");
    tinyAt("mine.gguf");
    await create("a/b:Q8_0", { from: ["mine.gguf"], system: "Mine." });
    expect(await catalog.resolve("a/b:Q8_0")).toMatchObject({ store: "modelctl", system: "Mine." });
    const { models } = await catalog.listModels();
    expect(models.filter(({ name }) => name === "a/b:Q8_0")).toHaveLength(1);
  });
});

describe("files", () => {
  test("of a split model are one model, listed when complete", async () => {
    const { theirsAt, catalog, names } = withFiles();
    const [first = "", second = ""] = [1, 2].map((part) =>
      theirsAt(`a/b/b-F16-0000${part}-of-00002.gguf`),
    );
    copyFileSync(tinyFile, first);
    expect(await names()).toEqual([]);
    splitTiny(first, second);
    expect(await names()).toEqual(["a/b:F16"]);
    const found = await catalog.resolve("a/b");
    expect(found.facts.path).toBe(first);
    expect(found.sizeBytes).toBe(statSync(first).size + statSync(second).size);
  });

  test("of a projector belong to the model", async () => {
    const { theirsAt, catalog, names } = withFiles();
    copyFileSync(visionFile, theirsAt("a/eyes/eyes-F16.gguf"));
    copyFileSync(projectorFile, theirsAt("a/eyes/mmproj-eyes-F16.gguf"));
    expect(await names()).toEqual(["a/eyes:F16"]);
    const { projectors } = await catalog.resolve("a/eyes");
    expect(projectors).toEqual([theirsAt("a/eyes/mmproj-eyes-F16.gguf")]);
  });

  test("that are damaged hide no others, and other files are ignored", async () => {
    const { theirsAt, theirs, list } = withFiles("a/b/b-Q8_0.gguf", "lonely.gguf", "a/lonely.gguf");
    writeFileSync(theirsAt("a/broken/broken-Q8_0.gguf"), "junk");
    writeFileSync(theirsAt("a/fetching/downloading_x-Q8_0.gguf.part"), "half");
    writeFileSync(theirsAt(".internal/x/y.gguf"), "junk");
    symlinkSync("/no/such/file", theirsAt("a/b/gone-F16.gguf"));
    const { models, problems } = await list();
    expect(models.map(({ name }) => name)).toEqual(["a/b:Q8_0"]);
    expect(problems).toEqual([
      {
        path: path.join(theirs, "a/broken/broken-Q8_0.gguf"),
        message: expect.stringContaining("is not a GGUF model"),
      },
    ]);
  });

  test("are found in subfolders, but not through links to folders", async () => {
    const { theirsAt, list } = withFiles("a/b/Q8_0/b-Q8_0.gguf");
    symlinkSync("../..", theirsAt("a/b/up"));
    mkdirSync(theirsAt("a/b/folder-F16.gguf"));
    const { models, problems } = await list();
    expect(models.map(({ name }) => name)).toEqual(["a/b:Q8_0"]);
    expect(problems).toEqual([]);
  });

  test("are another model when they are replaced", async () => {
    const { theirsAt, list } = withFiles("a/b/b-Q8_0.gguf");
    const digest = async () => (await list()).models[0]?.digest;
    const before = await digest();
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(await digest()).toBe(before);
    utimesSync(theirsAt("a/b/b-Q8_0.gguf"), 1, 1);
    expect(await digest()).not.toBe(before);
  });

  test("are not opened for a list without details", async () => {
    const { theirsAt, catalog } = withFiles();
    writeFileSync(theirsAt("a/broken/broken-Q8_0.gguf"), "junk");
    const { models, problems } = await catalog.listModels({
      store: "lm-studio",
      withDetails: false,
    });
    expect(models.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([["a/broken:Q8_0", 4]]);
    expect(problems).toEqual([]);
  });
});

describe("a model created from one of them", () => {
  test("refers to its files without copying", async () => {
    const { create, catalog, theirsAt, blobs } = withFiles("a/b/b-Q8_0.gguf");
    await create("mine", { from: ["a/b"], system: "Mine." });
    const mine = await catalog.resolve("mine");
    expect(mine).toMatchObject({ store: "modelctl", system: "Mine." });
    expect(mine.facts.path).toBe(theirsAt("a/b/b-Q8_0.gguf"));
    expect(blobs()).not.toHaveLength(0);
    expect(mine.sizeBytes).toBeGreaterThan(statSync(tinyFile).size);
  });

  test("has vision too", async () => {
    const { create, catalog, theirsAt } = withFiles();
    copyFileSync(visionFile, theirsAt("a/eyes/eyes-F16.gguf"));
    copyFileSync(projectorFile, theirsAt("a/eyes/mmproj-eyes-F16.gguf"));
    await create("mine", { from: ["hf.co/a/eyes:F16"] });
    expect((await catalog.resolve("mine")).projectors).toHaveLength(1);
  });

  test("leaves the folder unchanged", async () => {
    const { create, catalog, theirs, names } = withFiles("a/b/b-Q8_0.gguf");
    const state = () =>
      entriesOf(theirs).map((name) => [name, statSync(path.join(theirs, name)).mtimeMs]);
    const before = state();
    await names();
    await catalog.resolve("a/b");
    await create("mine", { from: ["a/b"] });
    expect(state()).toEqual(before);
  });
});

test("a missing folder has no models", async () => {
  const { catalog } = openStore(undefined, { lmStudioFolder: () => "/no/such/folder" });
  expect(await catalog.listModels({ store: "lm-studio" })).toEqual({ models: [], problems: [] });
  await expect(catalog.resolve("a/b")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
});
