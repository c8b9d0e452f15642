// Creates a folder and its parents. Node's recursive mkdir loops until memory runs out if an existing
// parent accepts no entries, as /proc does.
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "./write-refusal.ts";

/** @throws the system's error for the first folder that cannot be created */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if (systemCode(error) !== "ENOENT" || above === folder) throw error;
    await makeFolder(above);
    await makeOne(folder);
  }
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const facts = await stat(folder).catch(() => undefined);
    if (!facts?.isDirectory()) throw error;
  }
}
