// Locks of downloads outside the store, in a separate folder since the store may be read-only.
import { makeFolder } from "../../base/make-folder.ts";
import { explainingDiskErrors } from "../library/disk-errors.ts";
import { LockFolder } from "../library/lock-folder.ts";
import type { Locks } from "./wait-for-download.ts";

/**
 * @param folder made with its first lock; the locks throw ProductError `STORE_DISK_FULL`,
 *   `STORE_NOT_WRITABLE` if that fails
 */
export function downloadLocks(folder: string): Locks {
  const locks = new LockFolder(folder);
  return {
    withLock: async (name, work) =>
      await explainingDiskErrors(folder, async () => {
        await makeFolder(folder);
        locks.removeOld();
        return await locks.withLock(name, work);
      }),
  };
}
