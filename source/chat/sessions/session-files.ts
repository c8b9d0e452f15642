// Files of saved chats: chats in revisions, and images named by their content.

import { createHash } from "node:crypto";
import {
  constants,
  copyFile,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import { removeAbandoned, unfinishedPath } from "../../base/unfinished-files.ts";
import { systemCode } from "../../base/write-refusal.ts";

const dayMs = 24 * 3600_000;
/** Codes of file systems without links, such as those of memory cards and some networks. */
const unlinkable = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);
/** Writes a new file, which is on disk before it gets its name. */
const durably = { flag: "wx", mode: 0o600, flush: true };
const pattern = /^(?<id>[a-z0-9-]+)\.(?<revision>\d{1,15})\.jsonl$/;

/**
 * Chats that several processes may save without a lock: every revision is a new file, and existing
 * files are never overwritten.
 */
export class RevisionFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the newest revision of each chat, ordered by id. */
  async revisions(): Promise<Map<string, number>> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return [];
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
   * Writes the next revision.
   *
   * @param revision that the text is based on; 0 for a new chat
   * @returns the new revision; undefined if another process has written a later one
   */
  async write(id: string, revision: number, text: string): Promise<number | undefined> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await removeAbandoned(this.#folder);
    const next = revision + 1;
    const unfinished = unfinishedPath(this.pathOf(id, next));
    try {
      await writeFile(unfinished, text, durably);
      await putInPlace(unfinished, this.pathOf(id, next));
    } catch (error) {
      if (systemCode(error) === "EEXIST") return undefined;
      throw error;
    } finally {
      await rm(unfinished, { force: true });
    }
    // A writer that is further ahead has removed the revision that this one would have collided with.
    const newest = (await this.revisions()).get(id) ?? next;
    if (newest > next) {
      await rm(this.pathOf(id, next), { force: true });
      return undefined;
    }
    if (revision > 0) await rm(this.pathOf(id, revision), { force: true });
    return next;
  }

  /** Removes all revisions. */
  async remove(id: string): Promise<void> {
    const names = await readdir(this.#folder);
    for (const name of names) {
      if (pattern.exec(name)?.groups?.id === id) {
        await rm(path.join(this.#folder, name), { force: true });
      }
    }
  }
}

/** Images of all chats; chats with the same image share its file. */
export class ImageFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the digest of the image */
  async add(base64: string): Promise<string> {
    const bytes = Buffer.from(base64, "base64");
    const digest = createHash("sha256").update(bytes).digest("hex");
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.#folder);
    if (names.includes(digest)) {
      const now = new Date();
      await utimes(path.join(this.#folder, digest), now, now);
      return digest;
    }
    const file = path.join(this.#folder, digest);
    const unfinished = unfinishedPath(file);
    try {
      await writeFile(unfinished, bytes, durably);
      await rename(unfinished, file);
    } finally {
      await rm(unfinished, { force: true });
    }
    return digest;
  }

  /** Returns the image as base64; undefined if its file is gone. */
  async read(digest: string): Promise<string | undefined> {
    try {
      return await readFile(path.join(this.#folder, digest), "base64");
    } catch (error) {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Removes all other images, except new ones: their chat may not be saved yet. */
  async removeBut(digests: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      if (!/^[0-9a-f]{64}$/.test(name) || digests.has(name)) continue;
      const file = path.join(this.#folder, name);
      const { mtimeMs } = await stat(file);
      if (Date.now() - mtimeMs > dayMs) await rm(file, { force: true });
    }
  }
}

/** @throws Error `EEXIST` if the file exists */
async function putInPlace(unfinished: string, file: string): Promise<void> {
  try {
    await link(unfinished, file);
  } catch (error) {
    // An exclusive copy is just as safe.
    if (!unlinkable.has(systemCode(error) ?? "")) throw error;
    await copyFile(unfinished, file, constants.COPYFILE_EXCL);
  }
}
