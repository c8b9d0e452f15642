// Writes a file completely or not at all, even after a crash.
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";

/** Prefix of unfinished files; the store lists nothing that begins with a dot. */
export const unfinishedPrefix = ".writing-";

/** A new name beside the file, for its unfinished content. */
export function unfinishedPath(file: string): string {
  return path.join(path.dirname(file), unfinishedPrefix + randomBytes(8).toString("hex"));
}

/** The unfinished files of a folder. */
export async function unfinishedIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => name.startsWith(unfinishedPrefix))
    .map((name) => path.join(folder, name));
}

/**
 * Age at which a killed process's leftovers may be removed: no writer pauses this long between two
 * writes.
 */
export const keptUnfinishedMs = 3600_000;

/** False for a file that is not there. */
export async function isOlder(file: string, ageMs: number): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs > ageMs;
}

export async function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const unfinished = unfinishedPath(file);
  try {
    const handle = await open(unfinished, "wx");
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await moveIntoPlace(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The content must have been synchronised before. */
export async function moveIntoPlace(unfinished: string, file: string): Promise<void> {
  await rename(unfinished, file);
  await synchroniseFolder(path.dirname(file));
}

/** A name is safe from a power cut only when its folder is. */
async function synchroniseFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // folders cannot be opened there
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
