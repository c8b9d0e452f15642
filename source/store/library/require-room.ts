// Fails early when disk space is short.
import { formatBytes } from "../../base/formats.ts";
import { freeSpace } from "../../base/free-space.ts";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

/**
 * @param folder on the disk in question; it need not exist yet
 * @throws ProductError `STORE_DISK_FULL`
 */
export async function requireRoom(folder: string, neededBytes: number): Promise<void> {
  const freeBytes = await freeSpace(folder);
  if (freeBytes === undefined || neededBytes <= freeBytes) return;
  throw new ProductError(storeErrors.diskFull, {
    message: `Not enough disk space for ${folder}: ${formatBytes(neededBytes)} needed, ${formatBytes(freeBytes)} free.`,
    hint: "Free some space, for example with: modelctl rm MODEL; then try again.",
  });
}
