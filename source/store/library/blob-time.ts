// The time of a blob's last change; it tells the clean-up how long the blob has been unused.
import { stat, utimes } from "node:fs/promises";

/**
 * A file that another store has under another name keeps its time there.
 *
 * @returns false when it is not there, or may not be changed
 */
export async function setBlobTime(file: string, at: Date | number): Promise<boolean> {
  try {
    const { nlink } = await stat(file);
    if (nlink === 1) await utimes(file, at, at);
    return true;
  } catch {
    return false;
  }
}
