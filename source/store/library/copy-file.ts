// Brings files into the store: a user's file as a clone that shares disk space, or as a copy; a
// file made in the store's folder by renaming it.
import { constants } from "node:fs";
import { copyFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { storeErrors } from "../errors.ts";
import { checkDigest, digestOfFile, type WriteOptions } from "./digest.ts";
import { isUnwritten, stateOf } from "./file-state.ts";
import type { ModelStore, WrittenBlob } from "./model-store.ts";
import { readPieces } from "./read-pieces.ts";
import { moveIntoPlace, synchronise } from "./write-atomically.ts";

/**
 * @throws ProductError `STORE_REFERENCE_CHANGED` when the file changes during the copy;
 *   `STORE_DISK_FULL` before anything is written; those of `writeBlobFrom`
 */
export async function copyIntoStore(
  store: ModelStore,
  file: string,
  options: WriteOptions = {},
): Promise<WrittenBlob> {
  const before = await stateOf(file);
  const written =
    (await cloneIntoStore(store, file, options)) ??
    (await store.writeBlobFrom(readPieces(file, before.sizeBytes), {
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
 * Turns a finished file in the store's folder into a blob. Leaves the file alone if the store
 * already has its content.
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
