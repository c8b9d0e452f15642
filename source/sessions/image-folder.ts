// Images of saved chats: files named by their content, so that chats share them.
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { unfinishedPath } from "../base/unfinished-files.ts";

const dayMs = 24 * 3600_000;

export class ImageFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @returns the digest of the bytes */
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
    const unfinished = unfinishedPath(path.join(this.#folder, digest));
    try {
      const handle = await open(unfinished, "wx", 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(unfinished, path.join(this.#folder, digest));
    } finally {
      await rm(unfinished, { force: true });
    }
    return digest;
  }

  /** The bytes as base64; undefined where the file is gone. */
  async read(digest: string): Promise<string | undefined> {
    try {
      return await readFile(path.join(this.#folder, digest), "base64");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Removes images that no chat uses; new ones are kept, as their chat may not be saved yet. */
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
