// Temporary names for files until they are complete. A killed process leaves such a file behind.
import { randomBytes } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Begins with a dot, as lists skip such names. */
const prefix = ".writing-";

/** Longer than any process pauses between two writes. */
export const unfinishedMaxAgeMs = 3600_000;

export function isUnfinished(name: string): boolean {
  return path.basename(name).startsWith(prefix);
}

/** Returns a temporary name in the file's folder. */
export function unfinishedPath(file: string): string {
  return path.join(path.dirname(file), prefix + randomBytes(8).toString("hex"));
}

/** Returns the unfinished files of a folder and its subfolders; none if it does not exist. */
export async function unfinishedIn(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.filter(isUnfinished).map((name) => path.join(folder, name));
}

/** Removes abandoned unfinished files in a folder and its subfolders. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const file of await unfinishedIn(folder)) {
    if (await isOlder(file, unfinishedMaxAgeMs)) await rm(file, { recursive: true, force: true });
  }
}

/** False for a missing file. */
export async function isOlder(file: string, ageMs: number): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs > ageMs;
}
