// Blobs and manifests on disk: whole or not at all, in the layout that Ollama has.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { moveIntoStore } from "../../../source/store/library/copy-file.ts";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import {
  entriesOf,
  modelName,
  openStore,
  type StoreFixture,
  sha256,
} from "../../support/model-store.ts";
import { until } from "../../support/until.ts";

const content = Buffer.from("some bytes\0of a blob");
const digest = `sha256:${sha256(content)}`;

describe("a blob", () => {
  test("is stored where Ollama puts it", async () => {
    const { store } = openStore();
    expect(await store.writeBlob(content)).toEqual({
      digest,
      sizeBytes: content.length,
      isNew: true,
    });
    const file = path.join(store.path, "blobs", `sha256-${sha256(content)}`);
    expect(store.blobPath(digest)).toBe(file);
    expect(store.blobPath(digest.replace(":", "-").toUpperCase().replace("SHA", "sha"))).toBe(file);
    expect(readFileSync(file).equals(content)).toBe(true);
  });

  test("of the same content is stored once", async () => {
    const { store, blobs } = openStore();
    expect(await store.hasBlob(digest)).toBe(false);
    await store.writeBlob(content);
    expect(await store.writeBlob(content)).toMatchObject({ isNew: false });
    expect(await store.writeBlobFrom(Readable.from([content]))).toMatchObject({ isNew: false });
    expect(await store.hasBlob(digest)).toBe(true);
    expect(blobs()).toEqual([`sha256-${sha256(content)}`]);
  });

  test("is read from a stream in pieces, with progress", async () => {
    const { store } = openStore();
    const seen: number[] = [];
    const pieces = [content.subarray(0, 5), content.subarray(5)];
    expect(
      await store.writeBlobFrom(Readable.from(pieces), {
        digest: `sha256-${sha256(content)}`,
        onBytes: (bytes) => seen.push(bytes),
      }),
    ).toEqual({ digest, sizeBytes: content.length, isNew: true });
    expect(seen).toEqual([5, content.length]);
    expect(readFileSync(store.blobPath(digest)).equals(content)).toBe(true);
  });

  test("with another digest is not kept", async () => {
    const { store, blobs, unfinished } = openStore();
    const wrong = `sha256:${"0".repeat(64)}`;
    await expect(
      store.writeBlobFrom(Readable.from([content]), { digest: wrong }),
    ).rejects.toMatchObject({
      code: "STORE_DIGEST_MISMATCH",
      status: 400,
      message: `digest mismatch, expected ${wrong}, got ${digest}`,
    });
    expect([...blobs(), ...unfinished()]).toEqual([]);
  });

  test("whose stream breaks is not kept", async () => {
    const { store, blobs, unfinished } = openStore();
    async function* broken() {
      yield content;
      throw new Error("the line was cut");
    }
    await expect(store.writeBlobFrom(broken())).rejects.toThrow("the line was cut");
    expect([...blobs(), ...unfinished()]).toEqual([]);
  });

  test.each(["", "sha256:", `sha256:${"g".repeat(64)}`, `md5:${"0".repeat(64)}`, "../x"])(
    "%j is not a digest",
    (text) => {
      const { store } = openStore();
      expect(() => store.blobPath(text)).toThrow(
        expect.objectContaining({ code: "STORE_DIGEST_INVALID", status: 400 }),
      );
    },
  );
});

describe("a model with damaged files", () => {
  test.each<[string, (written: string) => string, RegExp, code?: string]>([
    ["cut", () => "{", /manifest .*mine.* is damaged/],
    ["empty", () => "", /is damaged/],
    ["another JSON", () => "[]", /no layers/],
    ["without a digest", (written) => written.replaceAll("sha256:", "md5:"), /no digest/],
    [
      "of a missing blob",
      (written) => written.replaceAll(/[0-9a-f]{64}/g, "0".repeat(64)),
      /is missing/,
      "STORE_BLOB_MISSING",
    ],
  ])("manifest %s: says so, and hides no other", async (...row) => {
    const [, damage, message, code = "STORE_MANIFEST_CORRUPT"] = row;
    const { create, catalog, store, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("other", { from: ["a.gguf"] });
    await create("mine", { from: ["a.gguf"] }, { copy: true });
    const file = store.folder.manifestPath(modelName("mine"));
    writeFileSync(file, damage(readFileSync(file, "utf8")));
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    const { models, problems } = await catalog.listModels({ store: "modelctl" });
    expect(models.map(({ name }) => name)).toEqual(["other:latest"]);
    expect(problems).toEqual([{ path: file, message: expect.stringMatching(message) }]);
  });

  test("a blob of another length is noticed", async () => {
    const { create, catalog, store, tinyAt } = openStore();
    tinyAt("a.gguf");
    await create("mine", { from: ["a.gguf"] }, { copy: true });
    const { facts } = await catalog.resolve("mine");
    writeFileSync(facts.path, "short");
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_BLOB_MISSING",
      message: expect.stringMatching(/has 5 bytes instead of \d+/),
    });
    expect(store.blobPath(`sha256:${"a".repeat(64)}`)).toContain(store.path);
  });
});

test("a missing store has no models, and reading does not create it", async () => {
  const { catalog, store } = openStore();
  expect(await catalog.listModels({ store: "modelctl" })).toEqual({ models: [], problems: [] });
  await expect(catalog.resolve("mine")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });
  expect(existsSync(store.path)).toBe(false);
});

test("a running server sees the changes of another process", async () => {
  const { create, catalog, folder, tinyAt } = openStore();
  tinyAt("a.gguf");
  const other = openStore(folder);
  await create("mine", { from: ["a.gguf"], system: "one" });
  expect((await other.catalog.resolve("mine")).system).toBe("one");
  await create("mine", { from: ["a.gguf"], system: "two" });
  expect((await other.catalog.resolve("mine")).system).toBe("two");
  expect(await catalog.listModels()).toEqual(await other.catalog.listModels());
});

test("no empty folders or unfinished files are left behind", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("a.gguf");
  await create("some/where:deep", { from: ["a.gguf"] });
  await create("other", { from: ["a.gguf"] });
  const file = await store.folder.find(modelName("SOME/Where:DEEP"));
  if (file === undefined) throw new Error("the model is not there");
  await store.removeManifest(file);
  expect(entriesOf(store.folder.manifestsFolder)).toEqual([
    "registry.ollama.ai",
    "registry.ollama.ai/library",
    "registry.ollama.ai/library/other",
    "registry.ollama.ai/library/other/latest",
  ]);
  expect(statSync(store.folder.blobsFolder).isDirectory()).toBe(true);
  expect((await catalog.listModels({ store: "modelctl" })).models).toHaveLength(1);
});

describe("a truncated blob", () => {
  test.each<[string, (fixture: StoreFixture) => Promise<unknown>]>([
    ["a stream", ({ store }) => store.writeBlobFrom(Readable.from([content]), { digest })],
    ["a text", ({ store }) => store.writeBlob(content)],
    [
      "a file",
      ({ store, at }) => {
        writeFileSync(at("a"), content);
        return moveIntoStore(store, at("a"));
      },
    ],
  ])("is replaced by a complete %s", async (_, write) => {
    const fixture = openStore();
    const { store } = fixture;
    await store.writeBlob(content);
    writeFileSync(store.blobPath(digest), "cut");
    expect(await write(fixture)).toMatchObject({ digest, isNew: true });
    expect(readFileSync(store.blobPath(digest)).equals(content)).toBe(true);
  });
});

describe("unfinished files of a killed process", () => {
  const half = ({ store }: StoreFixture, name: string, folder = store.folder.blobsFolder) => {
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `.writing-${name}`);
    writeFileSync(file, "half");
    return file;
  };

  test.each<[string, (fixture: StoreFixture) => Promise<unknown>]>([
    ["creates", ({ create }) => create("new", { from: ["a.gguf"] })],
    ["removes", ({ catalog, store }) => removeModel(catalog, store, "old")],
    ["copies", ({ catalog, store }) => copyModel(catalog, store, "old", modelName("new"))],
    ["sends a blob", ({ store }) => store.writeBlobFrom(Readable.from([Buffer.from("content")]))],
  ])("are removed by the next %s", async (_, write) => {
    const fixture = openStore();
    fixture.tinyAt("a.gguf");
    await fixture.create("old", { from: ["a.gguf"] });
    const file = half(fixture, "dead");
    await write(fixture);
    expect(existsSync(file)).toBe(false);
  });

  test("are removed by the next write of a manifest", async () => {
    const fixture = openStore();
    fixture.tinyAt("a.gguf");
    const file = half(fixture, "dead", path.join(fixture.store.folder.manifestsFolder, "hf.co"));
    await fixture.create("new", { from: ["a.gguf"] });
    expect(existsSync(file)).toBe(false);
  });

  test("stay while another writer runs, whose file is kept", async () => {
    const fixture = openStore();
    fixture.tinyAt("a.gguf");
    const other = openStore(fixture.folder).store;
    const sent = new PassThrough();
    const writing = other.writeBlobFrom(sent);
    sent.write("first half, ");
    const unfinished = () => fixture.unfinished().filter((name) => !name.endsWith("dead"));
    await until(unfinished, ({ length }) => length === 1);
    const dead = half(fixture, "dead");
    await fixture.create("new", { from: ["a.gguf"] });
    expect(unfinished()).toHaveLength(1);
    expect(existsSync(dead)).toBe(true);
    sent.end("second half");
    const { digest } = await writing;
    expect(readFileSync(other.blobPath(digest), "utf8")).toBe("first half, second half");
    await fixture.create("new", { from: ["a.gguf"] });
    expect(fixture.unfinished()).toEqual([]);
  });
});
