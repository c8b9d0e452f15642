// A full disk: a clear sentence, nothing half-written, and what was there still works.
import { execFileSync } from "node:child_process";
import {
  createReadStream,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyModel } from "../../../source/store/library/create-model.ts";
import { exportModel } from "../../../source/store/library/export-model.ts";
import { importModel } from "../../../source/store/library/import-model.ts";
import { removeModel } from "../../../source/store/library/remove-model.ts";
import { tinyFile } from "../../support/command-line.ts";
import {
  entriesOf,
  modelName,
  openStore,
  sha256,
  temporaryFolder,
} from "../../support/model-store.ts";

/** A disk of so many bytes, or undefined where this user may not make one. */
function smallDisk(bytes: number): string | undefined {
  const folder = temporaryFolder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "none", folder], {
      stdio: "pipe",
    });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder]);
  });
  return folder;
}

/** Skipped, and said so, where this user may not mount. */
function testOnDisk(name: string, bytes: number, work: (disk: string) => Promise<void>): void {
  test(name, async (context) => {
    const disk = smallDisk(bytes);
    if (disk === undefined) return context.skip("this user may not mount a small disk");
    await work(disk);
  });
}

function fill(folder: string): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(path.join(folder, "filler"), Buffer.alloc(bavail * bsize));
}

const full = {
  code: "STORE_DISK_FULL",
  status: 507,
  message: expect.stringMatching(
    /^(The disk that holds .* is full|Not enough disk space for .*: .* needed, .* free)\.$/,
  ),
};

testOnDisk("creating, sending, importing and exporting", 3 * 1024 ** 2, async (disk) => {
  const elsewhere = openStore();
  elsewhere.tinyAt("a.gguf");
  await elsewhere.create("other", { from: ["a.gguf"] });
  const archive = elsewhere.at("other.tar");
  await exportModel(elsewhere.catalog, elsewhere.store, "other", archive);

  const { store, create, catalog, blobs, unfinished } = openStore(disk);
  await create("kept", { from: [tinyFile], system: "kept" });
  const before = blobs();
  const manifests = entriesOf(store.folder.manifestsFolder);
  fill(disk);

  await expect(create("kept", { from: [tinyFile] }, { copy: true })).rejects.toMatchObject(full);
  await expect(create("new", { from: ["kept"], system: "x".repeat(5000) })).rejects.toMatchObject(
    full,
  );
  await expect(store.writeBlobFrom(createReadStream(tinyFile))).rejects.toMatchObject(full);
  await expect(importModel(store, archive)).rejects.toMatchObject(full);
  await expect(copyModel(catalog, store, "kept", modelName("copy"))).rejects.toMatchObject(full);
  await expect(
    exportModel(catalog, store, "kept", path.join(disk, "out.tar")),
  ).rejects.toMatchObject(full);

  expect(blobs()).toEqual(before);
  expect(unfinished()).toEqual([]);
  expect(entriesOf(store.folder.manifestsFolder)).toEqual(manifests);
  expect(entriesOf(disk)).not.toContain("out.tar");
  expect((await catalog.resolve("kept")).system).toBe("kept");
  await expect(catalog.resolve("new")).rejects.toMatchObject({ code: "STORE_MODEL_NOT_FOUND" });

  rmSync(path.join(disk, "filler"));
  await create("kept", { from: [tinyFile], system: "again" }, { copy: true });
  expect((await catalog.resolve("kept")).facts.path).toBe(
    store.blobPath(`sha256:${sha256(readFileSync(tinyFile))}`),
  );
});

testOnDisk("what there is no room for is not begun", 1024 ** 2, async (disk) => {
  const elsewhere = openStore();
  await elsewhere.create("mine", { from: [tinyFile] });
  const archive = elsewhere.at("mine.tar");
  await exportModel(elsewhere.catalog, elsewhere.store, "mine", archive);

  const { store, create, catalog } = openStore(disk);
  await create("mine", { from: [tinyFile] });
  const seen: number[] = [];
  const count = (bytes = 0) => seen.push(bytes);
  const room = {
    message: expect.stringMatching(/Not enough disk space for .*: 1\.9 MB needed, .* free\.$/),
  };
  const copied = create(
    "copy",
    { from: [tinyFile] },
    { copy: true, onProgress: ({ completed }) => count(completed) },
  );
  await expect(copied).rejects.toMatchObject(room);
  const file = path.join(disk, "out.tar");
  const exporting = exportModel(catalog, store, "mine", file, { onProgress: count });
  await expect(exporting).rejects.toMatchObject(room);
  expect(Math.max(...seen)).toBe(0);
  await expect(importModel(store, archive)).rejects.toMatchObject(room);
});

testOnDisk(
  "content that is in the store takes no second room while it is imported",
  3 * 1024 ** 2,
  async (disk) => {
    const elsewhere = openStore();
    await elsewhere.create("mine", { from: [tinyFile] });
    const archive = elsewhere.at("mine.tar");
    await exportModel(elsewhere.catalog, elsewhere.store, "mine", archive);
    const { store, catalog } = openStore(disk);
    await importModel(store, archive);
    await importModel(store, archive, { name: modelName("again") });
    expect((await catalog.resolve("again")).details.parameterSize).toBe("954K");
  },
);

testOnDisk("a model can be removed to make room", 3 * 1024 ** 2, async (disk) => {
  const { store, create, catalog, blobs } = openStore(disk);
  await create("large", { from: [tinyFile] }, { copy: true });
  mkdirSync(path.join(disk, "more"));
  fill(disk);
  await removeModel(catalog, store, "large");
  expect(blobs()).toEqual([]);
  await create("large", { from: [tinyFile] }, { copy: true });
});
