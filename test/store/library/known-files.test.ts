// The cache of small files: each is read once until it changes, and never served stale.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { KnownFiles } from "../../../source/store/library/known-files.ts";
import { modelName, openStore, temporaryFolder } from "../../support/model-store.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The files of a test are no longer new. */
function laterBySeconds(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

function counting() {
  const known = new KnownFiles<string>();
  const seen = { reads: 0 };
  const read = (file: string) =>
    known.read(file, (bytes) => {
      seen.reads += 1;
      return bytes.toString();
    });
  return { read, seen };
}

test("an unchanged file is read once", async () => {
  const file = path.join(temporaryFolder(), "a");
  writeFileSync(file, "one");
  laterBySeconds(60);
  const { read, seen } = counting();
  expect([await read(file), await read(file), await read(file)]).toEqual(["one", "one", "one"]);
  expect(seen.reads).toBe(1);
});

test("a file written just now is read each time, as its time may not change again", async () => {
  const file = path.join(temporaryFolder(), "a");
  writeFileSync(file, "one");
  const { atime, mtime } = statSync(file);
  const { read } = counting();
  expect(await read(file)).toBe("one");
  writeFileSync(file, "two");
  utimesSync(file, atime, mtime);
  expect(await read(file)).toBe("two");
});

test("a file with another content, the same length and an old date is read again", async () => {
  const file = path.join(temporaryFolder(), "a");
  writeFileSync(file, "one");
  const { atime, mtime } = statSync(file);
  laterBySeconds(60);
  const { read } = counting();
  expect(await read(file)).toBe("one");
  writeFileSync(file, "two");
  utimesSync(file, atime, mtime);
  expect(await read(file)).toBe("two");
});

test("a deleted file is missing, and read when it returns", async () => {
  const file = path.join(temporaryFolder(), "a");
  writeFileSync(file, "one");
  laterBySeconds(60);
  const { read } = counting();
  expect(await read(file)).toBe("one");
  rmSync(file);
  await expect(read(file)).rejects.toMatchObject({ code: "ENOENT" });
  writeFileSync(file, "two");
  expect(await read(file)).toBe("two");
});

test("an unreadable file is not cached", async () => {
  const file = path.join(temporaryFolder(), "a");
  writeFileSync(file, "one");
  laterBySeconds(60);
  const known = new KnownFiles<string>();
  const refuse = () => {
    throw new Error("not today");
  };
  await expect(known.read(file, refuse)).rejects.toThrow("not today");
  expect(await known.read(file, (bytes) => bytes.toString())).toBe("one");
});

test("files beyond the cache's size are read again correctly", async () => {
  const folder = temporaryFolder();
  // Three hundred files of sixty kilobytes are more than is kept.
  const files = Array.from({ length: 300 }, (_, index) => path.join(folder, `${index}`));
  for (const [index, file] of files.entries()) writeFileSync(file, `${index}`.padEnd(60_000));
  laterBySeconds(60);
  const { read, seen } = counting();
  for (let round = 1; round <= 2; round += 1) {
    for (const [index, file] of files.entries()) {
      expect((await read(file)).trim()).toBe(`${index}`);
    }
  }
  expect(seen.reads).toBeGreaterThan(300);
});

test("a pipe in place of a manifest is reported without blocking", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("a.gguf");
  await create("a", { from: ["a.gguf"], system: "first" });
  const pipe = store.folder.manifestPath(modelName("b"));
  mkdirSync(path.dirname(pipe), { recursive: true });
  execFileSync("mkfifo", [pipe]);
  const { models, problems } = await catalog.listModels({ store: "modelctl" });
  expect(models.map(({ name }) => name)).toEqual(["a:latest"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.message).toContain(`${pipe} cannot be read: it is not a regular file`);
});

test("reading many files lets other work continue", async () => {
  const folder = temporaryFolder();
  const files = Array.from({ length: 3000 }, (_, index) => path.join(folder, `${index}`));
  for (const file of files) writeFileSync(file, "text");
  const { read } = counting();
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  for (const file of files) await read(file);
  clearInterval(others);
  expect(turns).toBeGreaterThan(0);
});

test("a long-running server sees what another program made of a listed model", async () => {
  const { create, catalog, store, tinyAt } = openStore();
  tinyAt("a.gguf");
  await create("a", { from: ["a.gguf"], system: "first" });
  await create("b", { from: ["a.gguf"], system: "second" });
  laterBySeconds(60);
  const digests = async () => {
    const { models } = await catalog.listModels({ store: "modelctl" });
    return Object.fromEntries(models.map(({ name, digest }) => [name, digest]));
  };
  const before = await digests();
  expect(Object.keys(before).sort()).toEqual(["a:latest", "b:latest"]);
  expect((await catalog.resolve("a")).system).toBe("first");
  // As by Ollama or another process of ours, which this one hears nothing of.
  const other = openStore(path.dirname(store.path));
  await other.create("a", { from: ["a.gguf"], system: "third" });
  expect((await catalog.resolve("a")).system).toBe("third");
  await other.store.removeManifest({
    name: modelName("b"),
    path: other.store.folder.manifestPath(modelName("b")),
  });
  const after = await digests();
  expect(Object.keys(after)).toEqual(["a:latest"]);
  expect(after["a:latest"]).not.toBe(before["a:latest"]);
});
