// Removes folders that have become empty.
import { rmdir } from "node:fs/promises";
import path from "node:path";

/**
 * Goes up from a path that no longer exists to the first folder that is not empty, or to `top`,
 * which stays.
 */
export async function removeEmptyFolders(file: string, top: string): Promise<void> {
  for (let folder = path.dirname(file); folder !== top; folder = path.dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false, // other things are in it
    );
    if (!isGone) return;
  }
}
