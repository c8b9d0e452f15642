// Lock of a state folder, held by one living process at a time.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { lockFile, readLock, takeLock } from "../../../source/cloud/state/lock-file.ts";
import { identifyProcess, isAlive } from "../../../source/cloud/state/process-identity.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "deployctl-lock-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("has one owner and is free after release", () => {
  const giveBack = takeLock(folder);
  expect(readLock(folder)?.processId).toBe(process.pid);
  expect(() => takeLock(folder)).toThrow(`already running on ${folder} (pid ${process.pid})`);
  giveBack();
  expect(existsSync(lockFile(folder))).toBe(false);
  takeLock(folder)();
});

it("of a dead process is taken over", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  const identity = identifyProcess(child.pid ?? 0);
  writeFileSync(lockFile(folder), JSON.stringify(identity));
  expect(isAlive(identity)).toBe(true);
  expect(() => takeLock(folder)).toThrow(String(child.pid));
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(identity)).toBe(false);
  takeLock(folder)();
});

it("of a reused process id is taken over", () => {
  const own = identifyProcess(process.pid);
  for (const other of [{ startTime: "1" }, { bootId: "another boot" }]) {
    writeFileSync(lockFile(folder), JSON.stringify({ ...own, ...other }));
    takeLock(folder)();
  }
});

it("that is incomplete is taken over", () => {
  for (const text of ["", "{", "[]", '{"processId":"x"}']) {
    writeFileSync(lockFile(folder), text);
    takeLock(folder)();
  }
});

it("that another process took over is not released", () => {
  const giveBack = takeLock(folder);
  writeFileSync(lockFile(folder), JSON.stringify(identifyProcess(1)));
  giveBack();
  expect(readLock(folder)?.processId).toBe(1);
});

it("without a folder fails with one sentence", () => {
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  for (const impossible of [file, path.join(file, "below")]) {
    expect(() => takeLock(impossible)).toThrow(
      expect.objectContaining({
        code: "CLOUD_STATE_UNUSABLE",
        message: expect.stringContaining(
          `Cannot use the state folder ${impossible}: ${file} is not a folder`,
        ),
      }),
    );
  }
});
