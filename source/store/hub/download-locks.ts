// Keeps downloads outside the store apart: in a folder of their own, as the store may be one that is only read.
import { makeFolder } from "../../base/make-folder.ts";
import { explainingDiskErrors } from "../library/disk-errors.ts";
import { LockFolder } from "../library/lock-folder.ts";
import type { Locks } from "./wait-for-download.ts";

/**
 * @param folder made with its first lock; the locks throw ProductError `STORE_DISK_FULL`,
 *   `STORE_NOT_WRITABLE` where that fails
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
