// Measures the free space on a disk.
import { statfs } from "node:fs/promises";
import path from "node:path";

/**
 * @param folder on that disk; need not exist yet
 * @returns bytes; undefined if the system does not report it, as on some network disks
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
