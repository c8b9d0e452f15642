// Listing: complete, newest first, from small files alone; models whose files were moved, deleted or
// replaced are found without reading a file.
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findMissingFiles } from "../../../source/store/library/model-list.ts";
import { modelName, openStore } from "../../support/model-store.ts";

test("a thousand models are listed, newest first, even without their weights", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  const file = tinyAt("a.gguf");
  await create("model-0", { from: ["a.gguf"] });
  const first = path.dirname(store.folder.manifestPath(modelName("model-0")));
  for (let index = 0; index < 1000; index += 1) {
    const folder = path.join(path.dirname(first), `model-${index}`);
    if (index > 0) cpSync(first, folder, { recursive: true });
    utimesSync(path.join(folder, "latest"), 1_700_000_000 + index, 1_700_000_000 + index);
  }
  rmSync(file);
  const { models, problems } = await catalog.listModels({ store: "modelctl" });
  expect(problems).toEqual([]);
  expect(models.map(({ name }) => name)).toEqual(
    Array.from({ length: 1000 }, (_, index) => `model-${999 - index}:latest`),
  );
  expect(models[0]).toMatchObject({
    origin: "stored",
    store: "modelctl",
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    sizeBytes: expect.any(Number),
    modifiedAt: new Date(1_700_000_999_000),
    details: {
      format: "gguf",
      family: "llama",
      families: ["llama"],
      parameterSize: "954K",
      quantizationLevel: "F16",
      contextLength: 4096,
      embeddingLength: 128,
    },
  });
});

test("the built-in model is listed with its details", async () => {
  const { catalog } = openStore();
  expect((await catalog.listModels({ store: "built-in" })).models).toMatchObject([
    {
      name: "tiny:latest",
      origin: "built-in",
      store: undefined,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      sizeBytes: 1_933_632,
      details: { family: "llama", parameterSize: "954K", quantizationLevel: "F16" },
      card: expect.stringContaining("test model"),
    },
  ]);
});

test("namespaces, tags and hosts are listed under the names that find them", async () => {
  const { create, catalog, tinyAt } = openStore();
  tinyAt("a.gguf");
  const names = ["a:1", "a:2", "me/a:1", "other.example/me/a:1", "hf.co/O.w/R:Q4_K_M.gguf"];
  for (const name of names) await create(name, { from: ["a.gguf"] });
  const { models } = await catalog.listModels({ store: "modelctl" });
  expect(models.map(({ name }) => name).sort()).toEqual([...names].sort());
  for (const name of names) expect((await catalog.resolve(name.toUpperCase())).name).toBe(name);
});

test("other folders and files are ignored", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("a.gguf");
  await create("mine", { from: ["a.gguf"] });
  const folder = path.dirname(store.folder.manifestPath(modelName("mine")));
  mkdirSync(path.join(folder, "..", "empty"));
  cpSync(path.join(folder, "latest"), path.join(folder, ".DS_Store"));
  cpSync(path.join(folder, "latest"), path.join(folder, "..", "..", "file"));
  const { models, problems } = await catalog.listModels({ store: "modelctl" });
  expect(models.map(({ name }) => name)).toEqual(["mine:latest"]);
  expect(problems).toEqual([]);
});

test("a file in the store's place is reported, and hides no built-in model", async () => {
  const { catalog, store } = openStore();
  rmSync(store.path, { recursive: true, force: true });
  writeFileSync(store.path, "");
  const { models, problems } = await catalog.listModels({});
  expect(models.map(({ name }) => name)).toContain("tiny:latest");
  expect(problems).toEqual([
    { path: store.path, message: `The store ${store.path} is a file, not a folder.` },
  ]);
});

test("names that differ only in letter case are one model, whatever their folders' case", async () => {
  const { create, catalog, tinyAt } = openStore();
  tinyAt("a.gguf");
  await create("Foo:one", { from: ["a.gguf"], system: "1" });
  await create("foo:two", { from: ["a.gguf"], system: "2" });
  await create("FOO:ONE", { from: ["a.gguf"], system: "3" });
  for (const name of ["foo", "Foo", "FOO", "fOO"]) {
    expect((await catalog.resolve(`${name}:one`)).system).toBe("3");
    expect((await catalog.resolve(`${name}:TWO`)).system).toBe("2");
  }
  expect((await catalog.listModels({ store: "modelctl" })).models).toHaveLength(2);
});

test("missing files and files of another size are named with their models", async () => {
  const { create, catalog, tinyAt } = openStore();
  const [kept, gone, changed] = ["kept.gguf", "gone.gguf", "changed.gguf"].map((name) =>
    tinyAt(name),
  );
  await create("of-kept", { from: ["kept.gguf"] });
  await create("of-gone", { from: ["gone.gguf"] });
  await create("of-gone-too", { from: ["gone.gguf"] });
  await create("of-changed", { from: ["changed.gguf"] });
  await create("of-a-copy", { from: ["gone.gguf"] }, { copy: true });
  const { models } = await catalog.listModels();
  expect(await findMissingFiles(models)).toEqual([]);
  expect(models.find(({ name }) => name === "of-kept:latest")?.refersTo).toEqual([
    { path: kept, sizeBytes: 1_933_632 },
  ]);
  rmSync(String(gone));
  appendFileSync(String(changed), "x");
  const lost = await findMissingFiles(models);
  expect(lost.toSorted((a, b) => (a.model < b.model ? -1 : 1))).toEqual([
    { model: "of-changed:latest", path: changed, isThere: true, isBlob: false },
    { model: "of-gone-too:latest", path: gone, isThere: false, isBlob: false },
    { model: "of-gone:latest", path: gone, isThere: false, isBlob: false },
  ]);
});

test("a missing or truncated blob of weights is named too", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("tiny.gguf");
  await create("mine", { from: ["tiny.gguf"] }, { copy: true });
  const { models } = await catalog.listModels();
  expect(await findMissingFiles(models)).toEqual([]);
  const [blob] = models.flatMap(({ blobs }) => blobs.map(({ path }) => path));
  expect(blob).toContain(store.folder.blobsFolder);
  const lost = { model: "mine:latest", path: blob, isBlob: true };
  truncateSync(String(blob), 1000);
  expect(await findMissingFiles(models)).toEqual([{ ...lost, isThere: true }]);
  rmSync(String(blob));
  expect(await findMissingFiles(models)).toEqual([{ ...lost, isThere: false }]);
});
