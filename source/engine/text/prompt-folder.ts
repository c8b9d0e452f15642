// Folder on disk for prompt prefixes that outlive a loaded model: listing, reading and clean-up.
// Several servers may use it at the same time.
import { chmod, type FileHandle, lstat, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { freeSpace } from "../../base/free-space.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { isUnfinished, unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";
import type { PromptLimits } from "../runner/load-settings.ts";
import { BrokenPromptFile, type PromptFile, readPromptFile } from "./prompt-file.ts";
import { digest } from "./prompt-file-names.ts";

const ending = ".prompt";
/** Age from which an unfinished file counts as abandoned. */
const unfinishedMaxAgeMs = 600_000;

const largestBudget = 8 * 2 ** 30;
/** Share of the free disk space. */
const automaticShare = 0.1;
/** Limit that leaves space to others, whatever the budget is. */
const shareOfDisk = 0.9;

interface FoundFile {
  path: string;
  name: string;
  bytes: number;
  lastUsedAt: number;
}

export class PromptFolder {
  readonly path: string;

  constructor(folder: string) {
    this.path = folder;
  }

  /** Paths of files, least recently used first; empty without a folder. */
  async paths(prefix = ""): Promise<string[]> {
    const found = await this.#find((name) => name.startsWith(prefix) && name.endsWith(ending));
    return found.map((file) => file.path);
  }

  /**
   * Reads the descriptions of files, and removes broken ones.
   *
   * @param prefix of their names, see `weightsPrefix`
   * @param known files by path, which are not read again
   * @param warn takes a line for each unreadable file
   */
  async read(
    prefix: string,
    known: ReadonlyMap<string, PromptFile>,
    warn: (text: string) => void,
  ): Promise<PromptFile[]> {
    const files: PromptFile[] = [];
    for (const file of await this.paths(prefix)) {
      try {
        files.push(known.get(file) ?? (await readPromptFile(file)));
      } catch (error) {
        if (systemCode(error) === "ENOENT") continue; // just removed
        warn(await this.discard(file, error));
      }
    }
    return files;
  }

  /** Removes a broken file. @returns the line to log */
  async discard(file: string, error: unknown): Promise<string> {
    const name = path.basename(file);
    if (!(error instanceof BrokenPromptFile)) {
      return `the stored prompt ${name} cannot be read: ${error instanceof Error ? error.message : error}`;
    }
    await this.remove(file);
    return `the stored prompt ${name} ${error.message} and was removed`;
  }

  /** Removes a file or whatever is in its place; links are not followed. */
  async remove(file: string): Promise<void> {
    await rm(file, { force: true, recursive: true });
  }

  /** Creates a file that only its owner can read; `publish` names it. @throws the system's errors */
  async create(): Promise<{ unfinished: string; handle: FileHandle }> {
    await makeFolder(this.path);
    await chmod(this.path, 0o700);
    const unfinished = unfinishedPath(path.join(this.path, ending));
    return { unfinished, handle: await open(unfinished, "wx+", 0o600) };
  }

  /** @returns the file's path */
  async publish(unfinished: string, prefix: string, tokens: readonly number[]): Promise<string> {
    const file = path.join(this.path, `${prefix}${digest(Uint32Array.from(tokens))}${ending}`);
    await rename(unfinished, file);
    return file;
  }

  /** Returns the limit for all files together, in bytes. */
  async budget({ budgetBytes }: Pick<PromptLimits, "budgetBytes">): Promise<number> {
    const used = (await this.#find(isOurs)).reduce((sum, { bytes }) => sum + bytes, 0);
    const room = used + ((await freeSpace(this.path)) ?? 0);
    return Math.min(
      budgetBytes ?? Math.min(largestBudget, room * automaticShare),
      room * shareOfDisk,
    );
  }

  /** Removes files that are too old, then the least recently used until the rest fits the budget. */
  async tidy(limits: PromptLimits): Promise<{ removed: number; freedBytes: number }> {
    const budget = await this.budget(limits);
    const now = Date.now();
    const files = await this.#find(isOurs);
    let left = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const gone = { removed: 0, freedBytes: 0 };
    for (const { path: file, name, bytes, lastUsedAt } of files) {
      const isFinished = name.endsWith(ending);
      const age = now - lastUsedAt;
      const isOld = age > (isFinished ? (limits.maxAgeMs ?? Infinity) : unfinishedMaxAgeMs);
      if (!isOld && (left <= budget || !isFinished)) continue;
      await this.remove(file);
      left -= bytes;
      gone.removed += 1;
      gone.freedBytes += bytes;
    }
    return gone;
  }

  /** Finds files, least recently used first. */
  async #find(isWanted: (name: string) => boolean): Promise<FoundFile[]> {
    const names = await readdir(this.path).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    });
    const files: FoundFile[] = [];
    for (const name of names.filter(isWanted)) {
      const file = path.join(this.path, name);
      const facts = await lstat(file).catch(() => undefined); // just removed
      files.push({
        path: file,
        name,
        bytes: facts?.size ?? 0,
        lastUsedAt: facts?.mtimeMs ?? 0,
      });
    }
    return files.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
  }
}

function isOurs(name: string): boolean {
  return name.endsWith(ending) || isUnfinished(name);
}
