// Takes a file into the store: a user's as a clone that shares the disk's space where the file system
// can, else as a copy; one that was made in the store's own folder by a new name.
import { constants, createReadStream } from "node:fs";
import { copyFile, open, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { storeErrors } from "../errors.ts";
import { digestOfFile } from "./digest.ts";
import { isUnwritten, stateOf } from "./file-state.ts";
import type { ModelStore, WrittenBlob } from "./model-store.ts";
import { moveIntoPlace } from "./write-atomically.ts";
import { checkDigest, type WriteOptions } from "./write-stream.ts";

/**
 * @throws ProductError `STORE_REFERENCE_CHANGED` when the file changes during the copy; `STORE_DISK_FULL`
 *   before anything is written; those of `writeBlobFrom`
 */
export async function copyIntoStore(
  store: ModelStore,
  file: string,
  options: WriteOptions = {},
): Promise<WrittenBlob> {
  const before = await stateOf(file);
  const written =
    (await cloneIntoStore(store, file, options)) ??
    (await store.writeBlobFrom(createReadStream(file, { highWaterMark: 1024 ** 2 }), {
      ...options,
      sizeBytes: before.sizeBytes,
    }));
  if (isUnwritten(before, await stateOf(file))) return written;
  throw new ProductError(storeErrors.referenceChanged, {
    message: `${file} changed while it was copied.`,
    hint: "Try again when no program is writing to it.",
  });
}

// Error codes of file systems that cannot clone, or not between these two disks.
const cannotClone = new Set(["ENOTSUP", "EOPNOTSUPP", "EXDEV", "EINVAL", "ENOSYS", "ENOTTY"]);

async function cloneIntoStore(
  store: ModelStore,
  file: string,
  options: WriteOptions,
): Promise<WrittenBlob | undefined> {
  const unfinished = unfinishedPath(path.join(store.folder.blobsFolder, "blob"));
  try {
    await copyFile(file, unfinished, constants.COPYFILE_FICLONE_FORCE);
    return await moveIntoStore(store, unfinished, options);
  } catch (error) {
    if (cannotClone.has(systemCode(error) ?? "")) return undefined;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/**
 * Makes a blob of a finished file in the store's folder. Where the store has its content already, the
 * file stays.
 */
export async function moveIntoStore(
  store: ModelStore,
  file: string,
  options: WriteOptions = {},
): Promise<WrittenBlob> {
  const digest = await digestOfFile(file, options);
  checkDigest(digest, options.digest);
  const { size: sizeBytes } = await stat(file);
  const isNew = !(await store.hasBlob(digest, sizeBytes));
  if (isNew) {
    await synchronise(file);
    await moveIntoPlace(file, store.blobPath(digest));
  }
  return { digest, sizeBytes, isNew };
}

async function synchronise(file: string): Promise<void> {
  const handle = await open(file, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
