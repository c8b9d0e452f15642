// Messages when the store's folder cannot be made or written.
import { readFileSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { explainingDiskErrors } from "../../../source/store/library/disk-errors.ts";
import { ModelStore } from "../../../source/store/library/model-store.ts";
import { temporaryFolder } from "../../support/model-store.ts";

test("a file in the place of the store or of a folder above it", async () => {
  const file = path.join(temporaryFolder(), "file");
  writeFileSync(file, "");
  for (const store of [file, path.join(file, "share", "models")]) {
    const made = explainingDiskErrors(store, () => mkdir(store, { recursive: true }));
    await expect(made).rejects.toMatchObject({
      code: "STORE_NOT_WRITABLE",
      message: `The folder ${store} cannot be written: it or a folder above it is a file.`,
    });
  }
});

test("a folder above the store without permission", async () => {
  const store = "/home/somebody/.local/share/modelctl/models";
  const refused = Object.assign(new Error("EACCES: permission denied, mkdir"), {
    code: "EACCES",
    syscall: "mkdir",
    path: "/home/somebody/.local",
  });
  const made = explainingDiskErrors(store, () => Promise.reject(refused));
  await expect(made).rejects.toMatchObject({
    code: "STORE_NOT_WRITABLE",
    message: `The folder ${store} cannot be written: permission denied.`,
  });
});

// Every write fails with a full disk here.
test.runIf(process.platform === "linux")("a full disk", async () => {
  const store = temporaryFolder();
  const written = explainingDiskErrors(store, () => writeFile("/dev/full", "text"));
  await expect(written).rejects.toMatchObject({
    code: "STORE_DISK_FULL",
    message: `The disk that holds ${store} is full.`,
    cause: { code: "ENOSPC" },
  });
});

test("an exceeded quota counts as a full disk", async () => {
  const store = temporaryFolder();
  const refused = Object.assign(new Error("EDQUOT: disk quota exceeded"), { code: "EDQUOT" });
  const written = explainingDiskErrors(store, () => Promise.reject(refused));
  await expect(written).rejects.toMatchObject({ code: "STORE_DISK_FULL", status: 507 });
});

test("a missing file that was to be read keeps its error", async () => {
  const store = temporaryFolder();
  const read = explainingDiskErrors(store, async () => readFileSync(path.join(store, "missing")));
  await expect(read).rejects.toMatchObject({ code: "ENOENT" });
});

test.runIf(process.platform === "linux")("a place where the system refuses a folder", async () => {
  await expect(new ModelStore("/proc/none").writeBlob("text")).rejects.toMatchObject({
    code: "STORE_NOT_WRITABLE",
    message: "The folder /proc/none cannot be written: no folder can be created there.",
  });
});
