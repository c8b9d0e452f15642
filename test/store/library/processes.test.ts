// Several processes share a store, some are killed in the middle: it always works afterwards.
import { spawn } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { prune } from "../../../source/store/library/upkeep.ts";
import { openStore, type StoreFixture, sha256 } from "../../support/model-store.ts";
import { isProof } from "../../support/proof.ts";

const program = path.join(import.meta.dirname, "..", "..", "support", "store-worker.ts");

const crashProgram = path.join(import.meta.dirname, "..", "..", "support", "store-crash.ts");

/** Runs until the process kills itself at its n-th write, or is done. */
async function crash(folder: string, file: string, point: number) {
  const child = spawn(process.execPath, [crashProgram, folder, file, String(point)]);
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const signal = await new Promise((resolve) => child.once("close", (_, name) => resolve(name)));
  expect(errors).toBe("");
  return { signal, output };
}

interface Worker {
  /** Standard error of a process that ended by itself. */
  ended: Promise<{ code: number | null; errors: string }>;
}

function startWorker(
  { store, at }: StoreFixture,
  own: string,
  rounds: number,
  userId?: number,
): Worker {
  const words = [program, store.path, at("a.gguf"), own, "shared", String(rounds)];
  const user = userId === undefined ? {} : { uid: userId, gid: userId };
  const child = spawn(process.execPath, words, { ...user, stdio: "pipe" });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, errors })),
  );
  return { ended };
}

/** Every listed model resolves, and every blob has the content of its name. */
async function expectSound({ catalog, store, blobs }: StoreFixture): Promise<string[]> {
  const { models, problems } = await catalog.listModels({ store: "modelctl" });
  expect(problems).toEqual([]);
  for (const { name } of models) await catalog.resolve(name);
  for (const blob of blobs()) {
    expect(`sha256-${sha256(readFileSync(path.join(store.folder.blobsFolder, blob)))}`).toBe(blob);
  }
  return models.map(({ name }) => name).sort();
}

test("processes that create and remove at once do not disturb each other", async () => {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  const workers = ["one", "two", "three"].map((own) => startWorker(fixture, own, 4));
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: "" });
  expect(await expectSound(fixture)).toEqual([
    "one-copy:latest",
    "shared:latest",
    "three-copy:latest",
    "two-copy:latest",
  ]);
  expect(fixture.unfinished()).toEqual([]);
});

test("a process killed after any write leaves a working, unlocked store", async () => {
  const fixture = openStore();
  const { store, catalog, create, blobs, unfinished, tinyAt } = fixture;
  const file = tinyAt("a.gguf");
  await create("kept", { from: ["a.gguf"], system: "kept" }, { copy: true });
  // Three steps reach the halves of a write and the writes in turn; a proof stops at each.
  const step = isProof ? 1 : 3;
  let point = 0;
  let isKilled = true;
  while (isKilled) {
    point += step;
    const { signal, output } = await crash(store.path, file, point);
    isKilled = signal === "SIGKILL";
    if (!isKilled) expect(Number(output)).toBeLessThan(point); // every write had its turn
    const names = await expectSound(fixture);
    expect(names).toContain("kept:latest");
    expect((await catalog.resolve("kept")).system).toBe("kept");
    if (names.includes("mine:latest")) {
      expect(["one", "two", "after"]).toContain((await catalog.resolve("mine")).system);
    }
    await create("mine", { from: ["a.gguf"], system: "after" });
    expect((await catalog.resolve("mine")).system).toBe("after");
    // The killed process's unfinished file is removed at once.
    expect(readdirSync(store.folder.blobsFolder).filter((name) => !blobs().includes(name))).toEqual(
      [],
    );
    expect(await prune(store)).not.toHaveProperty("skipped");
  }
  expect(point).toBeGreaterThan(20);

  // In time, what the killed left behind is gone, and nothing else.
  for (const entry of [...blobs(), ...unfinished().map((name) => path.join("..", name))]) {
    utimesSync(path.join(store.folder.blobsFolder, entry), 0, 0);
  }
  await prune(store);
  expect(unfinished()).toEqual([]);
  const { digests } = await store.folder.neededBlobs();
  expect(blobs().map((name) => name.replace("-", ":"))).toEqual([...digests].sort());
  await expectSound(fixture);
}, 120_000);

test("a read-only store is read, and refuses writes with the reason", async () => {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  await fixture.create("kept", { from: ["a.gguf"] });
  const isRoot = process.getuid?.() === 0;
  // A user with full write access must run this as another user.
  chmodSync(fixture.folder, 0o755);
  if (!isRoot) chmodSync(fixture.store.folder.blobsFolder, 0o555);
  const worker = startWorker(fixture, "mine", 1, isRoot ? 65_534 : undefined);
  const { code, errors } = await worker.ended;
  if (!isRoot) chmodSync(fixture.store.folder.blobsFolder, 0o755);
  expect(code).not.toBe(0);
  expect(errors).toContain("STORE_NOT_WRITABLE");
  expect(errors).toContain(
    `The folder ${fixture.store.path} cannot be written: permission denied.`,
  );
  expect(await expectSound(fixture)).toEqual(["kept:latest"]);
});
