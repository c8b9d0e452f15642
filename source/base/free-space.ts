// Measures the free space on a disk.
import { statfs } from "node:fs/promises";
import path from "node:path";

/**
 * @param folder on the disk in question; it need not exist yet
 * @returns bytes; undefined where the system does not tell, as some network disks do not
 */
export async function freeSpace(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize, blocks } = await statfs(folder);
    return blocks === 0 ? undefined : bavail * bsize;
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? undefined : freeSpace(parent);
  }
}
