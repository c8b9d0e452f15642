// Checks free disk space, and explains write errors.
import path from "node:path";
import { formatBytes } from "../../../base/formats.ts";
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
    message: `Not enough disk space: the download needs ${formatBytes(neededBytes)}, ${formatBytes(freeBytes)} free at ${folder}.`,
    hint: "Free some space, or choose a smaller quantization. The partial file is kept.",
  });
}

/** Explains a failed write; returns other errors unchanged. */
export function writeError(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ProductError(storeErrors.diskFull, {
      message: `Disk full: ${path.dirname(file)} has no space left for the download.`,
      hint: "Free some space, then run the command again to resume.",
      cause: error,
    });
  }
  if (code === "EEXIST" || code === "ENOTDIR") {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written: its folder is a file.`,
      hint: "Name another folder.",
      cause: error,
    });
  }
  if (code !== undefined && /^(EACCES|EPERM|EROFS|EISDIR|EFBIG|EIO|ENOENT)$/.test(code)) {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written (${code}).`,
      hint: "Check the folder's permissions and the disk.",
      cause: error,
    });
  }
  return error;
}
