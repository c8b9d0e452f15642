// Whether a disk has room, and what a full one means.
import path from "node:path";
import { formatBytes } from "../../../base/byte-format.ts";
import { freeSpace } from "../../../base/free-space.ts";
import { ProductError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { storeErrors } from "../../errors.ts";

/**
 * @param folder on the disk in question; it need not exist yet
 * @throws ProductError `STORE_DISK_FULL`
 */
export async function requireFreeSpace(folder: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeSpace(folder);
  if (freeBytes === undefined || neededBytes <= freeBytes) return;
  throw new ProductError(storeErrors.diskFull, {
    message: `The download needs ${formatBytes(neededBytes)}, ${formatBytes(freeBytes)} free at ${folder}.`,
    hint: "Make room, or choose a smaller quantization; what was fetched before is kept.",
  });
}

/** What a person reads when writing fails; other errors pass through. */
export function writeError(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ProductError(storeErrors.diskFull, {
      message: `The disk of ${path.dirname(file)} became full during the download.`,
      hint: "What was fetched is kept: make room, then run the same again, and it resumes.",
      cause: error,
    });
  }
  if (code === "EEXIST" || code === "ENOTDIR") {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written: what should be its folder is a file.`,
      hint: "Name another folder.",
      cause: error,
    });
  }
  if (code !== undefined && /^(EACCES|EPERM|EROFS|EISDIR|EFBIG|EIO|ENOENT)$/.test(code)) {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written (${code}).`,
      hint: "Check the folder's permissions and its disk.",
      cause: error,
    });
  }
  return error;
}
