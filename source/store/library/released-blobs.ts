// Blobs that models of our own store no longer need: removed at once, or after the writes that run.
import { existsSync } from "node:fs";
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { isDigest, parseDigest } from "./digest.ts";
import type { ModelFolder } from "./model-folder.ts";

/** Modification time of released blobs; 0 is the same in seconds and milliseconds. */
const releasedTime = 0;

/** A write that finds a released blob sets its time anew, and so keeps it. */
export class ReleasedBlobs {
  readonly #folder: ModelFolder;

  constructor(folder: ModelFolder) {
    this.#folder = folder;
  }

  /** Exists while there are released blobs. */
  get #markFile(): string {
    return path.join(this.#folder.path, "let-go");
  }

  /** True if blobs were released and not removed yet. */
  get hasAny(): boolean {
    return existsSync(this.#markFile);
  }

  /** Releases blobs for a later `remove`. */
  async mark(digests: readonly string[]): Promise<void> {
    for (const digest of digests) {
      await setBlobTime(this.#folder.blobPath(digest), releasedTime); // unless it is gone already
    }
    await writeFile(this.#markFile, "");
  }

  /** Removes the released blobs that no manifest needs; call it while nothing is being written. */
  async remove(): Promise<void> {
    await rm(this.#markFile, { force: true });
    const released: string[] = [];
    for (const name of await readdir(this.#folder.blobsFolder)) {
      if (!isDigest(name)) continue;
      const facts = await stat(this.#folder.blobPath(name)).catch(() => undefined);
      if (facts?.mtimeMs === releasedTime) released.push(parseDigest(name));
    }
    await this.removeUnneeded(released);
  }

  /** Removes the given blobs that no manifest needs; call it while nothing is being written. */
  async removeUnneeded(digests: readonly string[]): Promise<void> {
    const needed = await this.#folder.neededBlobs();
    // A damaged manifest may need any of them.
    if (needed.damaged.length > 0) return;
    for (const digest of digests) {
      if (!needed.digests.has(digest)) await rm(this.#folder.blobPath(digest), { force: true });
    }
  }
}

/**
 * Sets the modification time of a blob, which tells the clean-up how long it has been unused. A
 * file that another store links to keeps its time.
 *
 * @returns false if it is missing, or may not be changed
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
