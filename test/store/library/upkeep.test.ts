// Unneeded files are removed; files that a model needs or a process writes never are.
import { existsSync, linkSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import { prune } from "../../../source/store/library/upkeep.ts";
import { modelName, openStore, type StoreFixture, sha256 } from "../../support/model-store.ts";

const day = 24 * 3600_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day);

/** A blob that no model needs, last wanted so many days ago. */
async function strayBlob({ store }: StoreFixture, content: string, days: number): Promise<string> {
  const { digest } = await store.writeBlob(content);
  utimesSync(store.blobPath(digest), daysAgo(days), daysAgo(days));
  return digest;
}

/** The leftovers of an interrupted download. */
function partial({ store }: StoreFixture, content: string, days: number): string[] {
  mkdirSync(store.folder.blobsFolder, { recursive: true });
  const blob = store.blobPath(`sha256:${sha256(content)}`);
  const files = [`${blob}-partial`, `${blob}-partial.json`];
  for (const file of files) {
    writeFileSync(file, content);
    utimesSync(file, daysAgo(days), daysAgo(days));
  }
  return files;
}

async function withModel(): Promise<StoreFixture> {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  await fixture.create("mine", { from: ["a.gguf"], system: "S" }, { copy: true });
  for (const blob of fixture.blobs()) {
    utimesSync(path.join(fixture.store.folder.blobsFolder, blob), 0, 0);
  }
  return fixture;
}

test("needed files stay, however old", async () => {
  const { store, catalog, blobs } = await withModel();
  const before = blobs();
  expect(await prune(store)).toEqual({ removedBlobs: 0, freedBytes: 0 });
  expect(blobs()).toEqual(before);
  expect((await catalog.resolve("mine")).system).toBe("S");
});

test.each([
  [13, true],
  [15, false],
])("a blob unused for %i days stays: %s", async (days, stays) => {
  const fixture = await withModel();
  const digest = await strayBlob(fixture, "stray", days);
  const { removedBlobs, freedBytes } = await prune(fixture.store);
  expect(await fixture.store.hasBlob(digest)).toBe(stays);
  expect(removedBlobs).toBe(stays ? 0 : 1);
  expect(freedBytes > 0).toBe(!stays);
});

test.each([
  [13, true],
  [15, false],
])("a download interrupted %i days ago can be resumed: %s", async (days, stays) => {
  const fixture = await withModel();
  const files = partial(fixture, "half", days);
  await prune(fixture.store);
  expect(files.map((file) => existsSync(file))).toEqual([stays, stays]);
});

test("files that another store shares are removed, which frees nothing", async () => {
  const fixture = await withModel();
  const digest = await strayBlob(fixture, "linked", 15);
  linkSync(fixture.store.blobPath(digest), fixture.at("theirs"));
  expect(await prune(fixture.store)).toEqual({ removedBlobs: 1, freedBytes: 0 });
  expect(await fixture.store.hasBlob(digest)).toBe(false);
  expect(readFileSync(fixture.at("theirs"), "utf8")).toBe("linked");
});

describe("nothing is removed", () => {
  test("of a running download, in this process or another", async () => {
    const fixture = await withModel();
    const { store, folder } = fixture;
    const other = openStore(folder).store;
    const files = partial(fixture, "half", 100);
    await other.withLock(`sha256:${sha256("half")}`, async () => {
      await prune(store);
      expect(files.map((file) => existsSync(file))).toEqual([true, true]);
    });
    await prune(store);
    expect(files.map((file) => existsSync(file))).toEqual([false, false]);
  });

  test("between writing a blob and its manifest", async () => {
    const fixture = await withModel();
    const { store, folder } = fixture;
    const other = openStore(folder).store;
    const digest = await strayBlob(fixture, "stray", 100);
    await other.whileWriting(async () => {
      expect(await prune(store)).toEqual({
        removedBlobs: 0,
        freedBytes: 0,
        skipped: { reason: "busy" },
      });
    });
    expect(await store.hasBlob(digest)).toBe(true);
    expect(await prune(store)).toMatchObject({ removedBlobs: 1 });
  });

  test("while a manifest is unreadable", async () => {
    const fixture = await withModel();
    const { store } = fixture;
    const digest = await strayBlob(fixture, "stray", 100);
    await copyModel(fixture.catalog, store, "mine", modelName("broken"));
    const manifest = store.folder.manifestPath(modelName("broken"));
    writeFileSync(manifest, "{");
    expect(await prune(store)).toEqual({
      removedBlobs: 0,
      freedBytes: 0,
      skipped: { reason: "damaged", manifests: [manifest] },
    });
    expect(await store.hasBlob(digest)).toBe(true);
    await removeModel(fixture.catalog, store, "broken");
    expect(await prune(store)).toMatchObject({ removedBlobs: 1 });
  });
});

test("files of a removed model go once no write is running", async () => {
  const { store, catalog, folder, blobs, create } = await withModel();
  const other = openStore(folder).store;
  await other.whileWriting(async () => {
    await removeModel(catalog, store, "mine");
    expect(blobs()).toHaveLength(3);
    // A model made meanwhile may need some of it again.
    await create("again", { from: ["a.gguf"], system: "S" });
    expect(blobs()).toHaveLength(3);
  });
  // Its text and its configuration are the same, its weights are not in the store.
  expect(blobs()).toHaveLength(2);
  expect((await catalog.resolve("again")).system).toBe("S");
});

test("an uploaded blob counts as used again", async () => {
  const fixture = await withModel();
  const digest = await strayBlob(fixture, "stray", 100);
  await fixture.store.writeBlob("stray");
  await prune(fixture.store);
  expect(await fixture.store.hasBlob(digest)).toBe(true);
});

test("unfinished files of a killed process go at once, even with a damaged manifest", async () => {
  const { store, unfinished } = await withModel();
  const folder = path.join(store.folder.manifestsFolder, "registry.ollama.ai", "library");
  for (const at of [store.folder.blobsFolder, folder]) {
    writeFileSync(path.join(at, ".writing-1"), "half");
  }
  mkdirSync(path.join(folder, "damaged"));
  writeFileSync(path.join(folder, "damaged", "latest"), "{");
  expect((await prune(store)).skipped).toMatchObject({ reason: "damaged" });
  expect(unfinished()).toEqual([]);
});

test("links that another process may be creating stay for an hour", async () => {
  const { store, unfinished } = await withModel();
  for (const hours of [0.5, 2]) {
    const links = path.join(store.splitsFolder, `.writing-${hours}`);
    mkdirSync(links, { recursive: true });
    utimesSync(links, daysAgo(hours / 24), daysAgo(hours / 24));
  }
  await prune(store);
  expect(unfinished()).toEqual([path.join("splits", ".writing-0.5")]);
});

test("foreign files stay", async () => {
  const { store } = await withModel();
  const file = path.join(store.folder.blobsFolder, "notes.txt");
  writeFileSync(file, "");
  utimesSync(file, 0, 0);
  await prune(store);
  expect(existsSync(file)).toBe(true);
});
