// A store of Ollama's is read in place and never written.
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { exportModel } from "../../../source/store/library/export-model.ts";
import { importModel } from "../../../source/store/library/import-model.ts";
import { isReference } from "../../../source/store/library/manifest.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import { prune } from "../../../source/store/library/upkeep.ts";
import { ModelCatalog } from "../../../source/store/model-catalog.ts";
import { tinyFile } from "../../support/command-line.ts";
import {
  entriesOf,
  modelName,
  openStore,
  projectorFile,
  sha256,
  temporaryFolder,
  writeOllamaModel,
} from "../../support/model-store.ts";

const tiny = readFileSync(tinyFile);

/** Our store, and one of Ollama's that has the model llama-tiny. */
function withOllama() {
  const ollama = path.join(temporaryFolder(), "models");
  writeOllamaModel(ollama, "llama-tiny", [
    { kind: "model", content: tiny },
    { kind: "template", content: "{{ .Prompt }}" },
    { kind: "system", content: "Be kind." },
    { kind: "params", content: JSON.stringify({ stop: ["<|im_end|>"], num_ctx: 2048, tfs_z: 1 }) },
    { kind: "messages", content: JSON.stringify([{ role: "user", content: "hi" }]) },
    { kind: "license", content: "MIT" },
  ]);
  return { ollama, ...openStore(undefined, { ollamaFolders: [ollama] }) };
}

/** The contents of a folder, to the byte and the nanosecond. */
function pictureOf(folder: string) {
  return entriesOf(folder).map((entry) => {
    const { mtimeMs, size, isFile } = statSync(path.join(folder, entry));
    return { entry, mtimeMs, size, isFile };
  });
}

test("its models are found with all their settings", async () => {
  const { catalog, ollama } = withOllama();
  expect(await catalog.resolve("Llama-Tiny")).toMatchObject({
    name: "llama-tiny:latest",
    origin: "stored",
    store: "ollama",
    facts: { path: path.join(ollama, "blobs", `sha256-${sha256(tiny)}`) },
    template: "{{ .Prompt }}",
    system: "Be kind.",
    messages: [{ role: "user", content: "hi" }],
    licenses: ["MIT"],
    parameters: { stop: ["<|im_end|>"], num_ctx: 2048 },
    otherValues: { tfs_z: 1 },
    details: { format: "gguf", family: "llama", parameterSize: "954K", quantizationLevel: "F16" },
  });
});

test.each<[string, (ollama: string) => string]>([
  ["by its name", (ollama) => ollama],
  [
    "through a link",
    (ollama) => {
      const link = path.join(temporaryFolder(), "link");
      symlinkSync(ollama, link);
      return link;
    },
  ],
])("is not written when it is named as ours, %s", async (_, lead) => {
  const { ollama } = withOllama();
  const folder = lead(ollama);
  const store = new ModelStore(folder, undefined, [ollama]);
  const catalog = new ModelCatalog({ store });
  const before = pictureOf(ollama);
  const refused = {
    code: "STORE_NOT_WRITABLE",
    message: `The folder ${folder} is Ollama's own store, which this program only reads.`,
  };
  const archive = path.join(temporaryFolder(), "a.tar");
  expect((await catalog.resolve("llama-tiny")).system).toBe("Be kind.");
  await exportModel(catalog, store, "llama-tiny", archive);
  await expect(importModel(store, archive)).rejects.toMatchObject(refused);
  await expect(copyModel(catalog, store, "llama-tiny", modelName("a"))).rejects.toMatchObject(
    refused,
  );
  await expect(removeModel(catalog, store, "llama-tiny")).rejects.toMatchObject(refused);
  await expect(store.writeBlobFrom(Readable.from([tiny]))).rejects.toMatchObject(refused);
  await expect(prune(store)).rejects.toMatchObject(refused);
  expect(pictureOf(ollama)).toEqual(before);
});

test("its models are listed as Ollama's, with Ollama's digest", async () => {
  const { catalog, ollama } = withOllama();
  const file = path.join(ollama, "manifests/registry.ollama.ai/library/llama-tiny/latest");
  const { models } = await catalog.listModels({ store: "ollama" });
  expect(models).toMatchObject([
    { name: "llama-tiny:latest", store: "ollama", digest: sha256(readFileSync(file)) },
  ]);
  const all = (await catalog.listModels()).models.map(({ name }) => name);
  expect(all.sort()).toEqual(["llama-tiny:latest", "tiny:latest"]);
});

test("our model hides one of the same name in another store, and each store lists its own", async () => {
  const { catalog, create } = withOllama();
  await create("llama-tiny", { from: ["llama-tiny"], system: "Ours." });
  expect(await catalog.resolve("llama-tiny")).toMatchObject({ store: "modelctl", system: "Ours." });
  const names = async (store?: "modelctl" | "ollama") =>
    (await catalog.listModels({ store })).models.map((model) => [model.name, model.store]);
  expect(await names("ollama")).toEqual([["llama-tiny:latest", "ollama"]]);
  expect(await names("modelctl")).toEqual([["llama-tiny:latest", "modelctl"]]);
  expect(await names()).toContainEqual(["llama-tiny:latest", "modelctl"]);
  expect(await names()).not.toContainEqual(["llama-tiny:latest", "ollama"]);
});

describe("a model created from one of Ollama's", () => {
  test("refers to its weights, whose digest is known, and keeps the texts", async () => {
    const { catalog, create, store, ollama } = withOllama();
    await create("mine", { from: ["llama-tiny"], parameters: { top_k: 1 } });
    expect(await catalog.resolve("mine")).toMatchObject({
      facts: { path: path.join(ollama, "blobs", `sha256-${sha256(tiny)}`) },
      system: "Be kind.",
      parameters: { stop: ["<|im_end|>"], num_ctx: 2048, top_k: 1 },
      otherValues: { tfs_z: 1 },
    });
    expect(await store.hasBlob(`sha256:${sha256(tiny)}`)).toBe(false);
    const found = await catalog.find(modelName("mine"));
    const layers = found?.kind === "stored" ? found.stored.manifest.layers : [];
    expect(layers.filter(isReference).map(({ reference }) => reference.digest)).toEqual([
      `sha256:${sha256(tiny)}`,
    ]);
  });

  test("says when Ollama has removed the weights", async () => {
    const { catalog, store, ollama } = withOllama();
    await copyModel(catalog, store, "llama-tiny", modelName("mine"));
    expect((await catalog.resolve("mine")).store).toBe("modelctl");
    rmSync(path.join(ollama, "blobs", `sha256-${sha256(tiny)}`));
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_MISSING",
    });
  });
});

test("nothing is ever written there", async () => {
  const { catalog, create, store, ollama } = withOllama();
  const before = pictureOf(ollama);
  await catalog.resolve("llama-tiny");
  await catalog.listModels();
  await create("mine", { from: ["llama-tiny"], system: "x" });
  await copyModel(catalog, store, "llama-tiny", modelName("copy"));
  await removeModel(catalog, store, "mine");
  await expect(removeModel(catalog, store, "llama-tiny")).rejects.toMatchObject({
    code: "STORE_MODEL_READ_ONLY",
    message: expect.stringContaining("Ollama's store"),
    hint: "Remove it with: ollama rm llama-tiny:latest",
  });
  expect(pictureOf(ollama)).toEqual(before);
});

test("hub models are found by each of the hub's names", async () => {
  const { catalog, ollama } = withOllama();
  const layers = [{ kind: "model", content: tiny }];
  writeOllamaModel(ollama, "hf.co/A/Short:Q8_0", layers);
  const file = writeOllamaModel(ollama, "huggingface.example/B/Long:Q8_0", layers);
  const other = path.join(ollama, "manifests", "huggingface.co", "B", "Long", "Q8_0");
  mkdirSync(path.dirname(other), { recursive: true });
  writeFileSync(other, readFileSync(file));
  for (const host of ["hf.co", "huggingface.co"]) {
    expect((await catalog.resolve(`${host}/a/short:q8_0`)).name).toBe("hf.co/A/Short:Q8_0");
    expect((await catalog.resolve(`${host}/b/long:q8_0`)).name).toBe("hf.co/B/Long:Q8_0");
  }
});

test("a model with a projector has vision", async () => {
  const { catalog, ollama } = withOllama();
  const projector = readFileSync(projectorFile);
  writeOllamaModel(ollama, "seeing", [
    { kind: "model", content: tiny },
    { kind: "projector", content: projector },
  ]);
  expect((await catalog.resolve("seeing")).projectors).toEqual([
    path.join(ollama, "blobs", `sha256-${sha256(projector)}`),
  ]);
});

test("models without weights are not listed, or say why they do not run", async () => {
  const { catalog, ollama } = withOllama();
  writeOllamaModel(ollama, "far:away", [], { remote_host: "https://ollama.com:443" });
  writeOllamaModel(ollama, "tensors", [{ kind: "tensor", content: "x" }], {
    model_format: "safetensors",
  });
  const names = (await catalog.listModels({ store: "ollama" })).models.map(({ name }) => name);
  expect(names.sort()).toEqual(["llama-tiny:latest", "tensors:latest"]);
  await expect(catalog.resolve("tensors")).rejects.toMatchObject({
    code: "STORE_FORMAT_UNSUPPORTED",
    message: expect.stringContaining("no GGUF weights"),
  });
});

test("a damaged model hides no others", async () => {
  const { catalog, ollama, create } = withOllama();
  await create("mine", { from: ["tiny"] });
  const bad = path.join(ollama, "manifests", "registry.ollama.ai", "library", "bad", "latest");
  mkdirSync(path.dirname(bad), { recursive: true });
  writeFileSync(bad, "{}");
  const { models, problems } = await catalog.listModels();
  expect(models.map(({ name }) => name).sort()).toEqual([
    "llama-tiny:latest",
    "mine:latest",
    "tiny:latest",
  ]);
  expect(problems).toMatchObject([{ path: bad }]);
});

test("a missing folder is ignored", async () => {
  const { catalog } = openStore(undefined, { ollamaFolders: ["/no/such/folder"] });
  const { models, problems } = await catalog.listModels();
  expect(models.map(({ name }) => name)).toEqual(["tiny:latest"]);
  expect(problems).toEqual([]);
  await expect(catalog.resolve("mine")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
});

test("a folder created later is found by a running server", async () => {
  const ollama = path.join(temporaryFolder(), "models");
  const { catalog } = openStore(undefined, { ollamaFolders: [ollama] });
  await expect(catalog.resolve("late")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
  writeOllamaModel(ollama, "late", [{ kind: "model", content: readFileSync(tinyFile) }]);
  expect(await catalog.resolve("late")).toMatchObject({ store: "ollama" });
  const { models } = await catalog.listModels({ store: "ollama" });
  expect(models.map(({ name }) => name)).toEqual(["late:latest"]);
});

test("an unreadable folder is named, and hides none of our models", async () => {
  const { catalog, ollama, create } = withOllama();
  await create("mine", { from: ["tiny"] });
  rmSync(path.join(ollama, "manifests"), { recursive: true });
  symlinkSync("manifests", path.join(ollama, "manifests")); // a link to itself: not even root reads it
  const { models, problems } = await catalog.listModels();
  expect(models.map(({ name }) => name).sort()).toEqual(["mine:latest", "tiny:latest"]);
  expect(problems).toMatchObject([{ path: ollama, message: expect.stringContaining("ELOOP") }]);
  await expect(catalog.resolve("llama-tiny")).rejects.toMatchObject({
    code: "STORE_MODEL_NOT_FOUND",
  });
  expect((await catalog.resolve("mine")).name).toBe("mine:latest");
});
