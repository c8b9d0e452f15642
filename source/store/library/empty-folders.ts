// Folders go with the last thing that was in them.
import { rmdir } from "node:fs/promises";
import path from "node:path";

/** Those above a file that is not there, up to one that holds something, or to `top`, which stays. */
export async function removeEmptyFolders(file: string, top: string): Promise<void> {
  for (let folder = path.dirname(file); folder !== top; folder = path.dirname(folder)) {
    const isGone = await rmdir(folder).then(
      () => true,
      () => false, // other things are in it
    );
    if (!isGone) return;
  }
}
