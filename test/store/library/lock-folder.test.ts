// Locks between processes: one holder or many sharers, and none that outlives its process.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { LockFolder } from "../../../source/store/library/lock-folder.ts";
import { temporaryFolder } from "../../support/model-store.ts";
import { until } from "../../support/until.ts";

const program = path.join(import.meta.dirname, "..", "..", "support", "hold-lock.ts");

/** Another process that holds the lock until it is killed. */
async function holdElsewhere(folder: string, isShared: boolean): Promise<() => Promise<void>> {
  const mark = path.join(folder, `held-${isShared}`);
  const locks = path.join(folder, "locks");
  const child = spawn(process.execPath, [program, locks, "x", String(isShared), mark]);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await until(() => existsSync(mark), Boolean);
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}

test("work under one lock is done in turn", async () => {
  const locks = new LockFolder(path.join(temporaryFolder(), "locks"));
  let inside = 0;
  let done = 0;
  const work = async () => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
    done += 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => locks.withLock("x", work)));
  expect(done).toBe(20);
});

test("different locks are independent, and a failure releases its lock", async () => {
  const locks = new LockFolder(path.join(temporaryFolder(), "locks"));
  const answer = await locks.withLock("x", () => locks.withLock("y", async () => 42));
  expect(answer).toBe(42);
  const failing = async () => {
    throw new Error("no");
  };
  await expect(locks.withLock("x", failing)).rejects.toThrow("no");
  expect(await locks.tryWithLock("x", async () => 1)).toEqual({ value: 1 });
});

test("shared locks coexist, and exclude an exclusive one", async () => {
  const locks = new LockFolder(path.join(temporaryFolder(), "locks"));
  const isShared = { isShared: true };
  const share = <T>(work: () => Promise<T>) => locks.withLock("x", work, isShared);
  await share(() =>
    share(async () => {
      expect(await locks.tryWithLock("x", async () => 1)).toBeUndefined();
      await share(async () => {});
    }),
  );
  await locks.tryWithLock("x", async () => {
    expect(await locks.tryWithLock("x", async () => 1)).toBeUndefined();
  });
  expect(await locks.tryWithLock("x", async () => 1)).toEqual({ value: 1 });
});

test.each([false, true])("a killed process releases its lock (shared: %s)", async (isShared) => {
  const folder = temporaryFolder();
  const locks = new LockFolder(path.join(folder, "locks"));
  const kill = await holdElsewhere(folder, isShared);
  expect(await locks.tryWithLock("x", async () => 1)).toBeUndefined();
  const waiting = locks.withLock("x", async () => "mine");
  await kill();
  expect(await waiting).toBe("mine");
});

test("waiting can be cancelled", async () => {
  const locks = new LockFolder(path.join(temporaryFolder(), "locks"));
  await locks.withLock("x", async () => {
    const abort = new AbortController();
    const waiting = locks.withLock("x", async () => {}, { signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  });
});

test("old unused lock files are removed, held and new ones stay", async () => {
  const folder = path.join(temporaryFolder(), "locks");
  const locks = new LockFolder(folder);
  for (const name of ["old", "held", "young"]) {
    await locks.withLock(name, async () => {});
    if (name !== "young")
      for (const file of readdirSync(folder)) utimesSync(path.join(folder, file), 0, 0);
  }
  expect(readdirSync(folder)).toHaveLength(3);
  await locks.withLock("held", async () => {
    locks.removeOld();
    expect(readdirSync(folder)).toHaveLength(2);
    expect(await locks.tryWithLock("held", async () => 1)).toBeUndefined();
  });
  expect(await locks.tryWithLock("old", async () => 1)).toEqual({ value: 1 });
});

test("a file that is not a lock is an error", async () => {
  const folder = path.join(temporaryFolder(), "locks");
  mkdirSync(folder);
  const locks = new LockFolder(folder);
  await locks.withLock("x", async () => {});
  for (const file of readdirSync(folder)) writeFileSync(path.join(folder, file), "x".repeat(5000));
  await expect(locks.withLock("x", async () => {})).rejects.toThrow("not a database");
});
