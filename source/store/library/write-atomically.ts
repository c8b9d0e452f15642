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

/** Renames a file whose content has been flushed to disk. */
export async function moveIntoPlace(unfinished: string, file: string): Promise<void> {
  await rename(unfinished, file);
  // A name survives a power failure only after its folder is flushed. Windows cannot open folders.
  if (process.platform !== "win32") await synchronise(path.dirname(file), "r");
}

/** Flushes a file, or a folder opened with `r`, to the disk. */
export async function synchronise(file: string, flags: "r" | "r+" = "r+"): Promise<void> {
  const handle = await open(file, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
