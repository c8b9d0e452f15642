// Several processes share a store, some are killed in the middle: it always works afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { prune } from "../../../source/store/library/prune.ts";
import { openStore, type StoreFixture, sha256 } from "../../support/model-store.ts";
import { until } from "../../support/until.ts";

const program = path.join(import.meta.dirname, "..", "..", "support", "store-worker.ts");

interface Worker {
  child: ChildProcess;
  output: () => string;
  /** What it wrote to standard error when it ended by itself. */
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
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = new Promise<{ code: number | null; errors: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, errors })),
  );
  return { child, output: () => output, ended };
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

describe("a process that is killed at any moment", () => {
  test("leaves a store that works, and holds no lock", async () => {
    const fixture = openStore();
    fixture.tinyAt("a.gguf");
    await fixture.create("kept", { from: ["a.gguf"], system: "kept" }, { copy: true });
    for (let time = 0; time < 12; time += 1) {
      const worker = startWorker(fixture, "worker", 1000);
      await until(worker.output, (output) => output.includes("\n"));
      // Each time at another point of the next round.
      await new Promise((resolve) => setTimeout(resolve, time * 3));
      worker.child.kill("SIGKILL");
      await worker.ended;
      expect(await expectSound(fixture)).toContain("kept:latest");
      expect((await fixture.catalog.resolve("kept")).system).toBe("kept");
      await fixture.create("worker", { from: ["a.gguf"], system: "after" });
      expect((await fixture.catalog.resolve("worker")).system).toBe("after");
      expect(await prune(fixture.store)).not.toHaveProperty("skipped");
    }
  });
});

test("processes that create and remove at once do not disturb each other", async () => {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  const workers = ["one", "two", "three"].map((own) => startWorker(fixture, own, 6));
  for (const { ended } of workers) expect(await ended).toEqual({ code: 0, errors: "" });
  expect(await expectSound(fixture)).toEqual([
    "one-copy:latest",
    "shared:latest",
    "three-copy:latest",
    "two-copy:latest",
  ]);
  expect(fixture.unfinished()).toEqual([]);
});

test("a store that may not be written is read, and says so to who writes", async () => {
  const fixture = openStore();
  fixture.tinyAt("a.gguf");
  await fixture.create("kept", { from: ["a.gguf"] });
  const isRoot = process.getuid?.() === 0;
  // Who may write everything has to send somebody else.
  chmodSync(fixture.folder, 0o755);
  if (!isRoot) chmodSync(fixture.store.folder.blobsFolder, 0o555);
  const worker = startWorker(fixture, "mine", 1, isRoot ? 65_534 : undefined);
  const { code, errors } = await worker.ended;
  if (!isRoot) chmodSync(fixture.store.folder.blobsFolder, 0o755);
  expect(code).not.toBe(0);
  expect(errors).toContain("STORE_NOT_WRITABLE");
  expect(errors).toContain(`The folder ${fixture.store.path} may not be written by this user.`);
  expect(await expectSound(fixture)).toEqual(["kept:latest"]);
});
