// Creating models: from files in place, from other models, and what is refused. Nothing may be
// half-created, and no gigabytes may be doubled.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ProgressRecord } from "../../../source/store/library/layer-maker.ts";
import { isReference } from "../../../source/store/library/manifest.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import { hashReferences } from "../../../source/store/library/upkeep.ts";
import type { ModelDefinition } from "../../../source/store/model-definition.ts";
import { tinyFile } from "../../support/command-line.ts";
import { text } from "../../support/gguf-builder.ts";
import {
  modelName,
  openStore,
  projectorFile,
  sha256,
  visionFile,
  writeAdapter,
  writeModel,
} from "../../support/model-store.ts";

describe("from a file", () => {
  test("refers to the file without copying it", async () => {
    const { create, catalog, tinyAt, blobs, store } = openStore();
    const file = tinyAt("my model.gguf");
    const progress = await create("mine", { from: ["./my model.gguf"] });
    expect(await catalog.resolve("MINE")).toMatchObject({
      name: "mine:latest",
      origin: "stored",
      store: "modelctl",
      facts: { path: file, architecture: "llama" },
      details: { family: "llama", parameterSize: "954K", quantizationLevel: "F16" },
      projectors: [],
      parameters: {},
      template: undefined,
    });
    const sizes = blobs().map((name) => statSync(path.join(store.folder.blobsFolder, name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1000);
    expect(progress.map(({ status }) => status)).toEqual([
      "parsing GGUF",
      `referring to ${file}`,
      expect.stringMatching(/^creating new layer sha256:[0-9a-f]{64}$/),
      "writing manifest",
      "success",
    ]);
  });

  test("uses a blob of the store, whatever path leads there", async () => {
    const { create, catalog, store, folder, at, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("parent", { from: ["a.gguf"] }, { copy: true });
    const { facts } = await catalog.resolve("parent");
    symlinkSync(facts.path, at("link.gguf"));
    symlinkSync(folder, `${folder}-elsewhere`);
    onTestFinished(() => rmSync(`${folder}-elsewhere`));
    const elsewhere = facts.path.replace(folder, `${folder}-elsewhere`);
    await create("linked", { from: ["link.gguf"] });
    await create("led", { from: [elsewhere] });
    await removeModel(catalog, store, "parent");
    for (const name of ["linked", "led"]) {
      expect((await catalog.resolve(name)).facts.path).toBe(facts.path);
    }
  });

  test("has the size and digest of its manifest and referenced file", async () => {
    const { create, catalog, tinyAt, store } = openStore();
    tinyAt("a.gguf");
    await create("me/mine:v1", { from: ["a.gguf"], system: "Be brief." });
    const file = path.join(store.path, "manifests", "registry.ollama.ai", "me", "mine", "v1");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    const sizes = [manifest.config, ...manifest.layers].map(({ size }) => size);
    expect(await catalog.resolve("me/mine:v1")).toMatchObject({
      digest: sha256(readFileSync(file)),
      sizeBytes: sizes.reduce((a, b) => a + b),
      modifiedAt: statSync(file).mtime,
    });
    expect(manifest).toMatchObject({
      schemaVersion: 2,
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
      config: { mediaType: "application/vnd.docker.container.image.v1+json" },
      layers: [
        { mediaType: "application/vnd.ollama.image.model", size: statSync(tinyFile).size },
        { mediaType: "application/vnd.ollama.image.system", size: 9 },
      ],
    });
  });

  test("keeps every setting", async () => {
    const { create, catalog, tinyAt } = openStore();
    tinyAt("a.gguf");
    const said = {
      template: "{{ .System }} {{ .Prompt }}",
      system: "Du bist 🐱.\n",
      licenses: ["MIT\n", "Apache"],
      parameters: { temperature: 0.25, stop: ["<|im_end|>", " "], num_ctx: 512, use_mmap: false },
      messages: [
        { role: "user" as const, content: "Hello" },
        { role: "assistant" as const, content: "Hi\n" },
      ],
      renderer: "r",
      parser: "p",
      requires: "0.2.0",
    };
    await create(
      "mine",
      { from: ["a.gguf"], ...said },
      { otherParameters: { odd: [1, { a: 2 }] } },
    );
    expect(await catalog.resolve("mine")).toMatchObject({
      ...said,
      otherValues: { odd: [1, { a: 2 }] },
    });
  });

  test("--copy copies the file into the store", async () => {
    const { create, catalog, tinyAt, store } = openStore();
    const file = tinyAt("a.gguf");
    const progress = await create("mine", { from: ["a.gguf"] }, { copy: true });
    truncateSync(file, 0);
    const { facts } = await catalog.resolve("mine");
    expect(facts.path).toBe(store.blobPath(`sha256:${sha256(readFileSync(tinyFile))}`));
    expect(readFileSync(facts.path).equals(readFileSync(tinyFile))).toBe(true);
    expect(progress).toContainEqual({
      status: "copying a.gguf",
      total: statSync(tinyFile).size,
      completed: statSync(tinyFile).size,
    });
  });

  test("uses an uploaded blob as it is", async () => {
    const { create, store, catalog } = openStore();
    const { digest } = await store.writeBlob(readFileSync(tinyFile));
    const from = [store.blobPath(digest)];
    const progress = await create("mine", { from }, { isAllowed: () => false });
    expect(progress).toContainEqual({ status: `using existing layer ${digest}` });
    expect((await catalog.resolve("mine")).facts.path).toBe(store.blobPath(digest));
  });

  test.each([
    ["two FROMs", [visionFile, projectorFile]],
    ["two FROMs the other way round", [projectorFile, visionFile]],
  ])("recognises model and projector of %s by their content", async (_, from) => {
    const { create, catalog } = openStore();
    await create("seeing", { from });
    expect(await catalog.resolve("seeing")).toMatchObject({
      facts: { path: visionFile },
      projectors: [projectorFile],
      details: { families: ["llama", "clip"] },
    });
  });

  test("accepts a directory of GGUF files", async () => {
    const { create, catalog, at } = openStore();
    copyFileSync(visionFile, at("seeing", "model.gguf"));
    copyFileSync(projectorFile, at("seeing", "eyes.gguf"));
    writeFileSync(at("seeing", "config.json"), "{}");
    for (const from of [["seeing"], ["./seeing/"]]) {
      await create("mine", { from });
      expect(await catalog.resolve("mine")).toMatchObject({
        facts: { path: at("seeing", "model.gguf") },
        projectors: [at("seeing", "eyes.gguf")],
      });
    }
  });

  test("stores an adapter with the model", async () => {
    const { create, catalog, at, tinyAt } = openStore();
    tinyAt("a.gguf");
    const adapter = writeAdapter(at("lora.gguf"));
    await create("mine", { from: ["a.gguf"], adapters: ["lora.gguf"] });
    expect(await catalog.resolve("mine")).toMatchObject({ adapters: [adapter] });
  });

  test.each([
    ["a missing adapter", { adapters: ["none.gguf"] }, "STORE_FILE_MISSING"],
    ["a missing draft model", { drafts: ["none.gguf"] }, "STORE_FILE_MISSING"],
    ["a model as an adapter", { adapters: [tinyFile] }, "STORE_DEFINITION_INVALID"],
  ])("finds %s before a model is pulled, converted or read", async (_, beside, code) => {
    const { create, tinyAt, blobs } = openStore();
    tinyAt("a.gguf");
    const done: string[] = [];
    const slow = {
      resolveName: async (name: string) => {
        done.push(name);
        throw new Error(`${name} was pulled`);
      },
      convertWeights: async (parts: readonly string[]) => {
        done.push(...parts);
        throw new Error("the weights were converted");
      },
    };
    for (const from of ["hf.co/owner/model", "a.gguf"]) {
      const creating = create("mine", { from: [from], ...beside }, slow);
      await expect(creating).rejects.toMatchObject({ code });
    }
    expect(done).toEqual([]);
    expect(blobs()).toEqual([]);
  });

  test("reports converted weights, and deletes them if create fails", async () => {
    const { create, tinyAt, blobs, store } = openStore();
    const file = tinyAt("a.gguf");
    const convertWeights = async () => await store.writeBlob(readFileSync(file));
    const layer = `sha256:${sha256(readFileSync(file))}`;
    const late = create("mine", { from: ["a.gguf"], requires: "99.0.0" }, { convertWeights });
    await expect(late).rejects.toMatchObject({ code: "STORE_VERSION_REQUIRED" });
    expect(blobs()).toEqual([]);
    const records = await create("mine", { from: ["a.gguf"] }, { convertWeights });
    expect(records).toContainEqual({ status: `creating new layer ${layer}` });
    const again = await create("yours", { from: ["mine"] }, { convertWeights });
    expect(again).toContainEqual({ status: `using existing layer ${layer}` });
  });

  test("stores a draft model with the model", async () => {
    const { create, catalog, tinyAt } = openStore();
    tinyAt("a.gguf");
    const draft = tinyAt("small.gguf");
    await create("mine", { from: ["a.gguf"], drafts: ["small.gguf"] });
    expect(await catalog.resolve("mine")).toMatchObject({ drafts: [draft] });
  });

  test("replaces a model of that name and frees what only the old one needed", async () => {
    const { create, catalog, tinyAt, blobs } = openStore();
    tinyAt("a.gguf");
    await create("mine", { from: ["a.gguf"], system: "old" });
    const before = blobs();
    await create("Mine", { from: ["a.gguf"], system: "new" });
    expect(
      (await catalog.listModels({ store: "modelctl" })).models.map(({ name }) => name),
    ).toEqual(["mine:latest"]);
    expect((await catalog.resolve("mine")).system).toBe("new");
    expect(blobs()).toHaveLength(before.length);
    expect(blobs()).not.toContain(`sha256-${sha256("old")}`);
  });
});

describe("from another model", () => {
  test("replaces what is new, merges parameters, and adds licences", async () => {
    const { create, catalog, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("parent", {
      from: ["a.gguf"],
      template: "T",
      system: "S",
      licenses: ["one"],
      parameters: { temperature: 0.5, top_k: 3 },
      messages: [{ role: "user", content: "m" }],
      requires: "0.1.0",
    });
    await create("child", {
      from: ["parent"],
      system: "S2",
      licenses: ["two"],
      parameters: { top_k: 4, stop: ["x"] },
    });
    expect(await catalog.resolve("child")).toMatchObject({
      template: "T",
      system: "S2",
      licenses: ["one", "two"],
      parameters: { temperature: 0.5, top_k: 4, stop: ["x"] },
      messages: [{ role: "user", content: "m" }],
      requires: "0.1.0",
      details: { family: "llama", parameterSize: "954K" },
    });
    expect((await catalog.resolve("parent")).system).toBe("S");
  });

  test("keeps unknown values", async () => {
    const { create, catalog, tinyAt } = openStore();
    tinyAt("a.gguf");
    const otherParameters = { mirostat: 2, temperature: "hot" };
    await create("parent", { from: ["a.gguf"] }, { otherParameters });
    await create("child", { from: ["parent"], parameters: { seed: 1 } });
    expect(await catalog.resolve("child")).toMatchObject({
      parameters: { seed: 1 },
      otherValues: otherParameters,
    });
  });

  test("shares its weights, which stay when the parent is removed", async () => {
    const { create, catalog, store, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("parent", { from: ["a.gguf"] }, { copy: true });
    await create("child", { from: ["parent"] });
    const { facts } = await catalog.resolve("parent");
    await removeModel(catalog, store, "parent");
    expect(await catalog.resolve("child")).toMatchObject({ facts });
  });

  test("copies the built-in model, as the program's folder moves", async () => {
    const { create, catalog, store } = openStore();
    await create("mine", { from: ["tiny"], system: "You are a pirate." });
    expect(await catalog.resolve("mine")).toMatchObject({
      system: "You are a pirate.",
      parameters: { temperature: 0 },
      facts: { path: expect.stringContaining(store.folder.blobsFolder) },
    });
  });

  test("finds the model despite a folder of the same name without a model", async () => {
    const { create, catalog, at } = openStore();
    mkdirSync(at("tiny"), { recursive: true });
    writeFileSync(at("tiny", "notes.txt"), "");
    await create("mine", { from: ["tiny"] });
    expect((await catalog.resolve("mine")).parameters).toEqual({ temperature: 0 });
  });

  test("uses the last of several names, with a warning", async () => {
    const { create, catalog, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("one", { from: ["a.gguf"], system: "one" });
    await create("two", { from: ["a.gguf"], system: "two" });
    const told = await create("child", { from: ["one", "two"] });
    expect(told.map(({ status }) => status)).toContain(
      "FROM one has no effect: FROM two comes after it",
    );
    expect((await catalog.resolve("child")).system).toBe("two");
  });
});

describe("create is refused:", () => {
  test.each<[string, Partial<ModelDefinition>, says: RegExp, code?: string]>([
    ["nothing", { from: [] }, /neither 'from' or 'files'/],
    [
      "a link to nothing",
      { from: ["./dangling.gguf"] },
      /dangling\.gguf is a link to gone\.gguf, which does not exist/,
      "STORE_FILE_MISSING",
    ],
    ["a mistyped path", { from: ["./no.gguf"] }, /no\.gguf does not exist/, "STORE_FILE_MISSING"],
    ["a missing .gguf", { from: ["no.gguf"] }, /no\.gguf does not exist/, "STORE_FILE_MISSING"],
    ["an unknown name", { from: ["nobody"] }, /'nobody' not found/, "STORE_MODEL_NOT_FOUND"],
    ["an impossible name", { from: ["a b"] }, /invalid model name/, "STORE_NAME_INVALID"],
    ["a projector alone", { from: [projectorFile] }, /is a projector/],
    ["two models", { from: ["a.gguf", tinyFile] }, /are two models/],
    ["an adapter as a model", { from: ["lora.gguf"] }, /is an adapter/],
    ["a name and a file", { from: ["tiny", "a.gguf"] }, /both a model \(tiny\) and a file/],
    ["a model as an adapter", { adapters: [tinyFile] }, /is a model, not an adapter/],
    [
      "two adapters",
      { adapters: ["lora.gguf", "lora.gguf"] },
      /only one adapter is currently supported/,
    ],
    [
      "an adapter of another architecture",
      { adapters: ["other.gguf"] },
      /architecture gemma, but the model's is llama/,
    ],
    ["a model that is its own draft", { drafts: ["./a.gguf"] }, /its own draft/],
    ["an importance matrix", { from: ["matrix.gguf"] }, /"imatrix"/],
    ["a file cut off", { from: ["cut.gguf"] }, /truncated/, "STORE_GGUF_TRUNCATED"],
    ["a web page", { from: ["page.gguf"] }, /is not a GGUF/, "STORE_NOT_GGUF"],
    ["an empty directory", { from: ["./empty"] }, /no \.gguf/],
    ["safetensors", { from: ["./tensors"] }, /not in the GGUF format/, "STORE_FORMAT_UNSUPPORTED"],
  ])("%s", async (_, definition, says, code = "STORE_DEFINITION_INVALID") => {
    const { create, at, tinyAt, catalog, blobs, unfinished } = openStore();
    tinyAt("a.gguf");
    writeAdapter(at("lora.gguf"));
    writeAdapter(at("other.gguf"), "gemma");
    writeModel(at("matrix.gguf"), { "general.type": text("imatrix") });
    truncateSync(tinyAt("cut.gguf"), 1_000_000);
    writeFileSync(at("page.gguf"), "<html>");
    symlinkSync("gone.gguf", at("dangling.gguf"));
    mkdirSync(at("empty", "sub"), { recursive: true });
    writeFileSync(at("tensors", "model.safetensors"), "");
    await create("kept", { from: ["a.gguf"], system: "kept" });
    const before = blobs();
    for (const name of ["kept", "new"]) {
      const creating = create(name, { from: ["a.gguf"], ...definition, system: "x" });
      await expect(creating).rejects.toMatchObject({
        name: "ProductError",
        code,
        message: expect.stringMatching(says),
      });
    }
    expect((await catalog.resolve("kept")).system).toBe("kept");
    await expect(catalog.resolve("new")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
    expect(blobs()).toEqual(before);
    expect(unfinished()).toEqual([]);
  });

  test("the name of a built-in model", async () => {
    const { create, store } = openStore();
    await expect(create("TINY", { from: [tinyFile] })).rejects.toMatchObject({
      code: "STORE_MODEL_READ_ONLY",
      status: 403,
      message: expect.stringContaining("is built in"),
    });
    expect(existsSync(store.path)).toBe(false);
  });

  test("a file that the caller may not name, whether or not it exists", async () => {
    const { create } = openStore();
    const isAllowed = () => false;
    for (const from of [[tinyFile], ["/no/such.gguf"]]) {
      await expect(create("mine", { from }, { isAllowed })).rejects.toMatchObject({
        code: "STORE_FILE_NOT_ALLOWED",
      });
    }
  });

  test("a bare name without a folder to start from is never looked up on disk", async () => {
    const { create, tinyAt } = openStore();
    tinyAt("plain");
    await create("mine", { from: ["plain"] });
    await expect(
      create("mine", { from: ["plain"] }, { baseFolder: undefined }),
    ).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
  });
});

test.each(["parsing GGUF", "copying a.gguf"])(
  "a create cancelled while %s leaves nothing",
  async (status) => {
    const { create, tinyAt, blobs, unfinished, catalog } = openStore();
    tinyAt("a.gguf");
    const abort = new AbortController();
    const options = {
      copy: true,
      signal: abort.signal,
      onProgress: (record: ProgressRecord) => {
        if (record.status === status) abort.abort();
      },
    };
    await expect(create("mine", { from: ["a.gguf"] }, options)).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(blobs()).toEqual([]);
    expect(unfinished()).toEqual([]);
    await expect(catalog.resolve("mine")).rejects.toThrow("not found");
  },
);

test("of eight gigabytes only the header is read, until there is time for a digest", async () => {
  const { create, at, catalog, store } = openStore();
  copyFileSync(tinyFile, at("large.gguf"));
  // A file with holes takes no room, but would take its time to read.
  truncateSync(at("large.gguf"), 8 * 1024 ** 3);
  await create("large", { from: ["large.gguf"] });
  expect(await catalog.resolve("large")).toMatchObject({
    sizeBytes: expect.closeTo(8 * 1024 ** 3, -4),
    facts: { fileSize: 8 * 1024 ** 3 },
  });
  const found = await catalog.find(modelName("large"));
  const layers = found?.kind === "stored" ? found.stored.manifest.layers.filter(isReference) : [];
  expect(layers).toHaveLength(1);
  expect(layers[0]?.reference.digest).toBeUndefined();
  const abort = AbortSignal.timeout(50);
  await expect(hashReferences(store, abort)).rejects.toMatchObject({ name: "TimeoutError" });
});

test("a file of a hub with its own name is not a path", async () => {
  const { create } = openStore();
  const asked: string[] = [];
  const resolveName = async (reference: string) => {
    asked.push(reference);
    throw new Error("not here");
  };
  const from = ["hf.co/owner/repository:model.gguf"];
  await expect(create("mine", { from }, { resolveName })).rejects.toThrow("not here");
  expect(asked).toEqual(from);
});
