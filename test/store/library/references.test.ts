// Models refer to files of the user's: a file that was moved or changed is noticed and named, one
// that was merely touched is not held against anybody.
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { isReference } from "../../../source/store/library/manifest.ts";
import { hashReferences, prune } from "../../../source/store/library/upkeep.ts";
import { tinyFile } from "../../support/command-line.ts";
import { modelName, openStore, type StoreFixture, sha256 } from "../../support/model-store.ts";

const later = new Date("2040-01-02T03:04:05Z");

/** A model that refers to mine.gguf. */
async function referring(size?: number): Promise<StoreFixture & { file: string }> {
  const fixture = openHere();
  const file = fixture.tinyAt("mine.gguf");
  if (size !== undefined) truncateSync(file, size);
  await fixture.create("mine", { from: ["mine.gguf"] });
  return { ...fixture, file };
}

/** Larger than the tiny model. */
const readAtOnceBytes = 2_000_000;
const largeBytes = readAtOnceBytes + 1_000_000;

function openHere(folder?: string): StoreFixture {
  return openStore(folder, {}, readAtOnceBytes);
}

async function knownDigest({ catalog, store }: StoreFixture): Promise<string | undefined> {
  const found = await catalog.find(modelName("mine"));
  const layer = found?.kind === "stored" && found.stored.manifest.layers.find(isReference);
  if (!layer) throw new Error("the model refers to no file");
  return await store.references.knownDigest(layer);
}

describe("a moved file", () => {
  test("is named, with advice", async () => {
    const { catalog, file } = await referring();
    renameSync(file, `${file}.moved`);
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_MISSING",
      message: expect.stringMatching(
        /^The model 'mine:latest' refers to .*mine\.gguf, which was moved or deleted .* created on \d{4}-\d\d-\d\d/,
      ),
      hint: expect.stringContaining("create the model again"),
    });
    renameSync(`${file}.moved`, file);
    expect((await catalog.resolve("mine")).facts.path).toBe(file);
  });

  test("does not prevent listing, copying and removing the model", async () => {
    const { catalog, store, file } = await referring();
    rmSync(file);
    await copyModel(catalog, store, "mine", modelName("other"));
    const { models, problems } = await catalog.listModels({ store: "modelctl" });
    expect(models.map(({ name }) => name).sort()).toEqual(["mine:latest", "other:latest"]);
    expect(problems).toEqual([]);
  });

  test("can be replaced by creating the model again", async () => {
    const { catalog, create, file, at } = await referring();
    renameSync(file, at("new", "place.gguf"));
    await create("mine", { from: ["new/place.gguf"] });
    expect((await catalog.resolve("mine")).facts.path).toBe(at("new", "place.gguf"));
  });
});

describe("a changed file", () => {
  test.each<[string, (file: string) => void]>([
    ["grew", (file) => appendFileSync(file, "x")],
    [
      "is another of the same size",
      (file) => writeFileSync(file, Buffer.alloc(statSync(file).size)),
    ],
    [
      "was replaced by one of the same size and age",
      (file) => {
        const { mtime, size } = statSync(file);
        rmSync(file);
        writeFileSync(file, Buffer.alloc(size));
        utimesSync(file, mtime, mtime);
      },
    ],
  ])("is noticed when it %s", async (_, change) => {
    const { catalog, file } = await referring();
    change(file);
    for (let time = 0; time < 2; time += 1) {
      await expect(catalog.resolve("mine")).rejects.toMatchObject({
        code: "STORE_REFERENCE_CHANGED",
        message: expect.stringMatching(/mine\.gguf, which has changed since/),
        hint: expect.stringContaining("Create the model again"),
      });
    }
  });

  test("is noticed by a running server that has seen it before", async () => {
    const { catalog, file } = await referring();
    await catalog.resolve("mine");
    appendFileSync(file, "x");
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
    });
  });
});

describe("a touched file", () => {
  test("is hashed once, found unchanged, and remembered", async () => {
    const { catalog, file, store } = await referring();
    utimesSync(file, later, later);
    expect((await catalog.resolve("mine")).facts.path).toBe(file);
    expect(readdirSync(path.join(store.path, "references"))).toHaveLength(1);
    // Read again it would be found to be another.
    writeFileSync(file, Buffer.alloc(statSync(file).size));
    utimesSync(file, later, later);
    expect((await catalog.resolve("mine")).facts.path).toBe(file);
  });

  test("is recognised for every copy of the model", async () => {
    const { catalog, store, file } = await referring();
    await copyModel(catalog, store, "mine", modelName("other"));
    utimesSync(file, later, later);
    await catalog.resolve("mine");
    await catalog.resolve("other");
    expect(readdirSync(path.join(store.path, "references"))).toHaveLength(1);
  });

  test("is recognised when restored from a copy", async () => {
    const { catalog, file } = await referring();
    rmSync(file);
    copyFileSync(tinyFile, file);
    expect((await catalog.resolve("mine")).facts.path).toBe(file);
  });

  test("is recognised by time and size while its digest is unknown", async () => {
    const { catalog, create, tinyAt } = openHere();
    const file = tinyAt("mine.gguf");
    truncateSync(file, largeBytes);
    utimesSync(file, later, later);
    await create("mine", { from: ["mine.gguf"] });
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    utimesSync(file, later, later);
    expect(await catalog.resolve("mine")).toMatchObject({ facts: { path: file }, touched: [] });
  });

  test("cannot be told from another while its digest is unknown", async () => {
    const { catalog, file } = await referring(largeBytes);
    utimesSync(file, later, later);
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
      message: expect.stringMatching(/mine\.gguf, which may have changed since: .*2040/),
    });
  });
});

describe("a large touched file", () => {
  /** Its last bytes are no part of the model: what is wrong with them only its digest tells. */
  async function touched(): Promise<StoreFixture & { file: string }> {
    const fixture = await referring(largeBytes);
    await hashReferences(fixture.store);
    utimesSync(fixture.file, later, later);
    return fixture;
  }

  test("is hashed once for the first request that needs its content, with progress", async () => {
    const { catalog, file } = await touched();
    const [first, ...more] = (await catalog.resolve("mine")).touched;
    expect(first).toMatchObject({ path: file, sizeBytes: largeBytes });
    expect(more).toEqual([]);
    const seen: number[] = [];
    await first?.check({ onBytes: (bytes) => seen.push(bytes) });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(largeBytes);
    expect((await catalog.resolve("mine")).touched).toEqual([]);
    expect((await openHere(path.dirname(file)).catalog.resolve("mine")).touched).toEqual([]);
  });

  test("is hashed once for all requests at the same time", async () => {
    const { catalog, store } = await touched();
    const both = await Promise.all([catalog.resolve("mine"), catalog.resolve("mine")]);
    const seen: [number[], number[]] = [[], []];
    const checks = both.map(({ touched: [file] }, who) =>
      file?.check({ onBytes: (bytes) => seen[who]?.push(bytes) }),
    );
    await Promise.all(checks);
    // Two reads would each have their own chunks.
    expect(seen[0]).toEqual(seen[1]);
    expect(readdirSync(path.join(store.path, "references"))).toHaveLength(1);
  });

  test("is hashed although one of two readers cancels", async () => {
    const { catalog } = await touched();
    const abort = new AbortController();
    const [file] = (await catalog.resolve("mine")).touched;
    if (file === undefined) throw new Error("there is nothing to read");
    const left = file.check({ signal: abort.signal, onBytes: () => abort.abort() });
    const stayed = file.check();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    await stayed;
    expect((await catalog.resolve("mine")).touched).toEqual([]);
  });

  test("is remembered by the process if the store is read-only", async () => {
    const { catalog, store } = await touched();
    const [file] = (await catalog.resolve("mine")).touched;
    // A file in the folder's place: not even root can write into it.
    const folder = path.join(store.path, "references");
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "");
    await file?.check();
    expect((await catalog.resolve("mine")).touched).toEqual([]);
  });

  test("is not hashed again for a changed inode, as on network drives", async () => {
    const { catalog, file } = await touched();
    /** Puts the same content there, of the same time, as another file. */
    const move = () => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      utimesSync(file, later, later);
    };
    const readings = async () => {
      const files = (await catalog.resolve("mine")).touched;
      for (const found of files) await found.check();
      return files.length;
    };
    expect(await readings()).toBe(1);
    move();
    expect(await readings()).toBe(1);
    move();
    expect(await readings()).toBe(0);
    // Its time still counts.
    utimesSync(file, later, new Date(later.getTime() + 1000));
    expect(await readings()).toBe(1);
  });

  test("is reported when its content is another", async () => {
    const { catalog, file } = await touched();
    const handle = openSync(file, "r+");
    writeSync(handle, "x", largeBytes - 1);
    closeSync(handle);
    const [found] = (await catalog.resolve("mine")).touched;
    await expect(found?.check()).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
      message: expect.stringMatching(/mine\.gguf, which has changed since/),
    });
    // It is not read again for the same result.
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
    });
    utimesSync(file, later, new Date(later.getTime() + 1000));
    expect((await catalog.resolve("mine")).touched).toHaveLength(1);
  });

  test("is reported when it is no longer a model", async () => {
    const { catalog, file } = await touched();
    writeFileSync(file, Buffer.alloc(largeBytes));
    await expect(catalog.resolve("mine")).rejects.toMatchObject({
      code: "STORE_REFERENCE_CHANGED",
    });
  });

  test("is hashed, with a note, before another model is created from its model", async () => {
    const { create } = await touched();
    const statuses = async () =>
      (await create("other", { from: ["mine"], system: "S" })).map(({ status }) => status);
    expect(await statuses()).toContain("checking mine.gguf");
    expect(await statuses()).not.toContain("checking mine.gguf");
  });
});

describe("the digest of a large file", () => {
  test("is deferred when the model is created, with a note", async () => {
    const { create, file } = await referring(largeBytes);
    const statuses = async () =>
      (await create("other", { from: ["mine.gguf"] })).map(({ status }) => status);
    const later = `referring to ${file}, whose hash a server computes in the background`;
    expect(await statuses()).toContain(later);
  });

  test("is computed later, and then a touch does no harm", async () => {
    const fixture = await referring(largeBytes);
    const { catalog, store, file } = fixture;
    expect(await knownDigest(fixture)).toBeUndefined();
    expect(await hashReferences(store)).toBe(1);
    expect(await knownDigest(fixture)).toBe(`sha256:${sha256(readFileSync(file))}`);
    expect(await hashReferences(store)).toBe(0);
    utimesSync(file, later, later);
    expect((await catalog.resolve("mine")).facts.path).toBe(file);
  });

  test("is not computed for a missing or changed file, only for others", async () => {
    const fixture = await referring(largeBytes);
    const { create, store, tinyAt, file } = fixture;
    for (const name of ["gone", "grown"]) {
      truncateSync(tinyAt(`${name}.gguf`), largeBytes);
      await create(name, { from: [`${name}.gguf`] });
    }
    rmSync(fixture.at("gone.gguf"));
    appendFileSync(fixture.at("grown.gguf"), "x");
    expect(await hashReferences(store)).toBe(1);
    expect(await knownDigest(fixture)).toBe(`sha256:${sha256(readFileSync(file))}`);
  });

  test("is forgotten with the last model that needs it", async () => {
    const { store } = await referring(largeBytes);
    await hashReferences(store);
    await prune(store);
    const folder = path.join(store.path, "references");
    expect(readdirSync(folder)).toHaveLength(1);
    const [file] = await store.folder.files();
    if (file === undefined) throw new Error("there is no model");
    await store.removeManifest(file);
    await prune(store);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("a link is followed, and its own path is stored", async () => {
  const { create, catalog, at, tinyAt } = openStore();
  symlinkSync(tinyAt("v1.gguf"), at("current.gguf"));
  await create("mine", { from: ["current.gguf"] });
  expect((await catalog.resolve("mine")).facts.path).toBe(at("current.gguf"));
  appendFileSync(tinyAt("v2.gguf"), "x");
  rmSync(at("current.gguf"));
  symlinkSync(at("v2.gguf"), at("current.gguf"));
  await expect(catalog.resolve("mine")).rejects.toMatchObject({ code: "STORE_REFERENCE_CHANGED" });
});
