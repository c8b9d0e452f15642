// Second names and removal: weights are shared as long as anybody needs them.
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { planRemoval, removeModel } from "../../../source/store/library/remove-model.ts";
import { tinyFile } from "../../support/command-line.ts";
import { modelName, openStore, sha256 } from "../../support/model-store.ts";

async function withModel() {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  await fixture.create("mine", { from: ["a.gguf"], system: "S" }, { copy: true });
  return fixture;
}

test("removing a file shared with another store frees nothing", async () => {
  const { catalog, store, at } = await withModel();
  const alone = await planRemoval(catalog, store, "mine");
  expect(alone).toMatchObject({ sharedBytes: 0 });
  linkSync(store.blobPath(`sha256:${sha256(readFileSync(tinyFile))}`), at("theirs"));
  const linked = await planRemoval(catalog, store, "mine");
  expect(linked).toMatchObject({
    sharedBytes: statSync(tinyFile).size,
    freedBytes: alone.freedBytes - statSync(tinyFile).size,
  });
});

describe("a copy", () => {
  test("is the same model under another name, without copying weights", async () => {
    const { catalog, store, blobs } = await withModel();
    const before = blobs();
    await copyModel(catalog, store, "MINE", modelName("other:v2"));
    const { name, modifiedAt, ...source } = await catalog.resolve("mine");
    expect(await catalog.resolve("other:v2")).toMatchObject({ ...source, name: "other:v2" });
    expect(modifiedAt).toBeInstanceOf(Date);
    expect(name).toBe("mine:latest");
    expect(blobs()).toEqual(before);
  });

  test("replaces the model of that name, and frees its files", async () => {
    const { catalog, store, create, blobs } = await withModel();
    await create("other", { from: ["mine"], system: "to be replaced" });
    await copyModel(catalog, store, "mine", modelName("other"));
    expect((await catalog.resolve("other")).system).toBe("S");
    expect(blobs()).not.toContain(`sha256-${sha256("to be replaced")}`);
  });

  test("of a file is refused with the reason", async () => {
    const { catalog, store, at } = await withModel();
    for (const source of [tinyFile, at("a.gguf"), "./no-such.gguf"]) {
      await expect(copyModel(catalog, store, source, modelName("new"))).rejects.toMatchObject({
        code: "STORE_NAME_INVALID",
        message: `${source} is a file, not a model of the store.`,
      });
    }
  });

  test("onto itself changes nothing", async () => {
    const { catalog, store } = await withModel();
    await copyModel(catalog, store, "mine", modelName("Mine"));
    expect(await catalog.resolve("mine")).toMatchObject({ name: "mine:latest", system: "S" });
  });

  test("of the built-in model can be changed and removed", async () => {
    const { catalog, store } = await withModel();
    await copyModel(catalog, store, "tiny", modelName("mine-too"));
    expect((await catalog.resolve("mine-too")).parameters).toEqual({ temperature: 0 });
    await removeModel(catalog, store, "mine-too");
  });

  test.each([
    ["nobody", "other", "STORE_MODEL_NOT_FOUND", /'nobody' not found/],
    ["mine", "tiny", "STORE_MODEL_READ_ONLY", /is built in/],
    ["a b", "other", "STORE_NAME_INVALID", /invalid model name/],
  ])("of %s to %s is refused", async (source, destination, code, message) => {
    const { catalog, store } = await withModel();
    await expect(copyModel(catalog, store, source, modelName(destination))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

describe("removing", () => {
  test("frees what no other model needs", async () => {
    const { catalog, store, create, blobs } = await withModel();
    await create("other", { from: ["mine"], system: "its own" });
    expect(await removeModel(catalog, store, "MINE:Latest")).toMatchObject({
      display: "mine:latest",
    });
    await expect(catalog.resolve("mine")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
    expect((await catalog.resolve("other")).system).toBe("its own");
    expect(blobs()).not.toContain(`sha256-${sha256("S")}`);
    await removeModel(catalog, store, "other");
    expect(blobs()).toEqual([]);
  });

  test("keeps the user's own files", async () => {
    const { catalog, store, create, at } = await withModel();
    await create("referring", { from: ["a.gguf"] });
    await removeModel(catalog, store, "referring");
    expect(existsSync(at("a.gguf"))).toBe(true);
  });

  test("works for damaged models, and keeps other models' files", async () => {
    const { catalog, store, create, at } = await withModel();
    await create("other", { from: ["mine"] });
    writeFileSync(store.folder.manifestPath(modelName("mine")), "{");
    await removeModel(catalog, store, "mine");
    await catalog.resolve("other");
    await create("referring", { from: ["a.gguf"] });
    rmSync(at("a.gguf"));
    await removeModel(catalog, store, "referring");
    expect((await catalog.listModels({ store: "modelctl" })).problems).toEqual([]);
  });

  test("keeps all blobs while another manifest is unreadable", async () => {
    const { catalog, store, create, blobs } = await withModel();
    await create("other", { from: ["mine"] });
    writeFileSync(store.folder.manifestPath(modelName("other")), "{");
    const before = blobs();
    await removeModel(catalog, store, "mine");
    expect(blobs()).toEqual(before);
  });

  test.each([
    ["nobody", "STORE_MODEL_NOT_FOUND", /model 'nobody' not found/],
    ["tiny", "STORE_MODEL_READ_ONLY", /is built in and cannot be removed/],
    [tinyFile, "STORE_NAME_INVALID", /is a file, not a model of the store/],
    ["a b", "STORE_NAME_INVALID", /invalid model name/],
  ])("%s is refused", async (reference, code, message) => {
    const { catalog, store } = await withModel();
    await expect(removeModel(catalog, store, reference)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(existsSync(tinyFile)).toBe(true);
  });
});
