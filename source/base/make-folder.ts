// Makes a folder and those above it, or fails: Node's own way tries for ever, until all memory is taken,
// where the system refuses to make anything in a folder that is there, as in /proc.
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "./write-refusal.ts";

/** @throws the system's error of the first folder that cannot be made */
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
