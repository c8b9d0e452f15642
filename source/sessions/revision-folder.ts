// Files that many processes may rewrite without a lock: every version is a new file, and an
// existing file is never overwritten. A writer whose version is outdated gets an error.
import { constants, copyFile, link, mkdir, open, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { removeAbandoned, unfinishedPath } from "../base/unfinished-files.ts";

const pattern = /^(?<id>[a-z0-9-]+)\.(?<revision>\d{1,15})\.jsonl$/;

export class RevisionFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The newest revision of each, in the order of the ids. */
  async revisions(): Promise<Map<string, number>> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    });
    const newest = new Map<string, number>();
    for (const name of names.toSorted()) {
      const groups = pattern.exec(name)?.groups;
      if (groups?.id === undefined) continue;
      const revision = Number(groups.revision);
      newest.set(groups.id, Math.max(revision, newest.get(groups.id) ?? 0));
    }
    return newest;
  }

  pathOf(id: string, revision: number): string {
    return path.join(this.#folder, `${id}.${revision}.jsonl`);
  }

  /**
   * Writes the version after the one that the text was made from.
   *
   * @param revision of that version; 0 for a new one
   * @returns the new revision, or undefined if another process has written a later version
   */
  async write(id: string, revision: number, text: string): Promise<number | undefined> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await removeAbandoned(this.#folder);
    const next = revision + 1;
    const unfinished = unfinishedPath(this.pathOf(id, next));
    try {
      const handle = await open(unfinished, "wx", 0o600);
      try {
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await putInPlace(unfinished, this.pathOf(id, next));
    } catch (error) {
      if (codeOf(error) === "EEXIST") return undefined;
      throw error;
    } finally {
      await rm(unfinished, { force: true });
    }
    // A writer that is ahead by more than one version has removed the one that ours would have
    // collided with.
    const newest = (await this.revisions()).get(id) ?? next;
    if (newest > next) {
      await rm(this.pathOf(id, next), { force: true });
      return undefined;
    }
    if (revision > 0) await rm(this.pathOf(id, revision), { force: true });
    return next;
  }

  /** Removes every version. */
  async remove(id: string): Promise<void> {
    const names = await readdir(this.#folder);
    for (const name of names) {
      if (pattern.exec(name)?.groups?.id === id) {
        await rm(path.join(this.#folder, name), { force: true });
      }
    }
  }
}

/** @throws Error `EEXIST` where the file is there already */
async function putInPlace(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (error) {
    // File systems of memory cards and some networks know no links: a copy is as exclusive.
    if (!unlinkable.has(String(codeOf(error)))) throw error;
    await copyFile(unfinished, file, constants.COPYFILE_EXCL);
  }
}

const unlinkable = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
