// Writes a file completely or not at all, even after a crash.
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import { unfinishedPath } from "../../base/unfinished-files.ts";

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
