// Background work of a server on its store.
import { readdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { startHousekeeping } from "../../../source/application/local-server/housekeeping.ts";
import { isReference } from "../../../source/store/library/manifest.ts";
import { modelName, openStore } from "../../support/model-store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { until } from "../../support/until.ts";

const longAgo = new Date("2020-01-01");
/** More than the tiny model has. */
const readAtOnceBytes = 2_000_000;

test("files that no model needs are removed once they are old", async () => {
  const fixture = openStore();
  const { store, blobs } = fixture;
  await fixture.create("kept", { from: [fixture.tinyAt("a.gguf")] }, { copy: true });
  const kept = blobs();
  const old = await store.writeBlob("left behind long ago");
  await store.writeBlob("left behind now");
  utimesSync(store.blobPath(old.digest), longAgo, longAgo);
  const lines: string[] = [];
  const leave = startHousekeeping(store, (line) => lines.push(line), { delayMs: 0 });
  await until(blobs, (names) => names.length === kept.length + 1);
  await until(
    () => lines,
    (told) => told.some((line) => /^removed 1 unused files from the store/.test(line)),
  );
  await leave();
});

test("unfinished files of killed programs in the state folder are removed once they are old", async () => {
  const { store } = openStore();
  const folder = temporaryFolder();
  const [old, fresh, kept] = [".writing-old", ".writing-fresh", "server.json"];
  for (const name of [old, fresh, kept]) writeFileSync(path.join(folder, name), "x");
  for (const name of [old, kept]) utimesSync(path.join(folder, name), longAgo, longAgo);
  const leave = startHousekeeping(store, () => {}, { stateFolder: folder, delayMs: 0 });
  await until(
    () => readdirSync(folder).sort(),
    (names) => names.join() === [fresh, kept].join(),
  );
  await leave();
});

test("large files that models refer to get their digest", async () => {
  const fixture = openStore();
  const { store } = fixture;
  const file = fixture.tinyAt("a.gguf");
  await fixture.create("refers", { from: [file] });
  // As if it had been too large to hash when the model was created.
  const name = modelName("refers");
  const found = await store.folder.find(name);
  if (found === undefined) throw new Error("the model is not there");
  const { manifest } = await store.folder.read(found);
  const layers = manifest.layers.map((layer) => {
    if (!isReference(layer)) return layer;
    const { digest: _, ...reference } = layer.reference;
    return { ...layer, reference };
  });
  await store.writeManifest(name, { ...manifest, layers });
  const lines: string[] = [];
  const leave = startHousekeeping(store, (line) => lines.push(line), { delayMs: 0 });
  await until(
    () => lines,
    (told) => told.includes("computed the digests of 1 referenced model files"),
  );
  await leave();
  const [layer] = layers;
  if (layer === undefined || !isReference(layer)) throw new Error("the model refers to nothing");
  expect(await store.references.knownDigest(layer)).toMatch(/^sha256:/);
});

test("a model created while the server runs gets its digest too", async () => {
  const fixture = openStore(undefined, {}, readAtOnceBytes);
  const lines: string[] = [];
  const leave = startHousekeeping(fixture.store, (line) => lines.push(line), {
    delayMs: 0,
    pauseMs: 10,
  });
  const file = fixture.tinyAt("large.gguf");
  truncateSync(file, readAtOnceBytes + 1);
  for (const times of [1, 2]) {
    await fixture.create(`refers-${times}`, { from: [file] });
    await until(
      () => lines.filter((line) => line.startsWith("computed the digests of 1 referenced")),
      ({ length }) => length === times,
    );
    const later = new Date(Date.now() + times * 60_000);
    utimesSync(file, later, later);
  }
  await leave();
});

test("a damaged manifest is reported once, however often a server looks", async () => {
  const fixture = openStore(undefined, {}, readAtOnceBytes);
  await fixture.create("broken", { from: [fixture.tinyAt("a.gguf")] });
  writeFileSync(fixture.store.folder.manifestPath(modelName("broken")), "{");
  const lines: string[] = [];
  const leave = startHousekeeping(fixture.store, (line) => lines.push(line), {
    delayMs: 0,
    pauseMs: 1,
  });
  const told = (start: string) => lines.filter((line) => line.startsWith(start)).length;
  for (const times of [1, 2, 3]) {
    const file = fixture.tinyAt(`${times}.gguf`);
    truncateSync(file, readAtOnceBytes + 1);
    await fixture.create(`refers-${times}`, { from: [file] });
    await until(
      () => told("computed the digests"),
      (count) => count === times,
    );
  }
  await leave();
  expect(told("unused files of the store are kept")).toBe(1);
});

test("a damaged manifest is named, and nothing is removed", async () => {
  const fixture = openStore();
  const { store, blobs } = fixture;
  await fixture.create("broken", { from: [fixture.tinyAt("a.gguf")] });
  const { digest } = await store.writeBlob("whose?");
  utimesSync(store.blobPath(digest), longAgo, longAgo);
  const manifest = store.folder.manifestPath(modelName("broken"));
  writeFileSync(manifest, "{");
  const before = blobs();
  const lines: string[] = [];
  const leave = startHousekeeping(store, (line) => lines.push(line), { delayMs: 0 });
  await until(
    () => lines,
    (told) => told.some((line) => line.includes(path.basename(path.dirname(manifest)))),
  );
  await leave();
  expect(blobs()).toEqual(before);
});

test("a server that stops early does nothing and does not wait", async () => {
  const fixture = openStore();
  const lines: string[] = [];
  await startHousekeeping(fixture.store, (line) => lines.push(line))();
  expect(lines).toEqual([]);
});

test("stored prompts are removed when their budget is zero", async () => {
  const fixture = openStore();
  const folder = temporaryFolder();
  const files = () => readdirSync(folder);
  for (const name of ["a.prompt", "other"]) writeFileSync(path.join(folder, name), "content");
  const promptCache = { folder, budgetBytes: 0, maxAgeMs: undefined };
  const leave = startHousekeeping(fixture.store, () => {}, { delayMs: 0, promptCache });
  await until(files, (names) => names.length === 1);
  expect(files()).toEqual(["other"]);
  await leave();
});
