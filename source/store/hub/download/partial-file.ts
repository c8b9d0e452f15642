// A file being downloaded, with notes on which bytes have arrived.
//
// A range is noted only after the system has taken its bytes, and notes are replaced atomically, so
// a process killed at any moment leaves correct notes. A power failure may lose bytes that the
// system had taken: without a known hash, they are flushed to disk before every note; otherwise
// every few seconds, and the hash of the whole file detects what was lost in between.
import { type FileHandle, open, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../../base/make-folder.ts";
import { ProductError } from "../../../base/product-error.ts";
import { systemCode } from "../../../base/write-refusal.ts";
import { storeErrors } from "../../errors.ts";
import { type ByteRange, ByteRanges } from "./byte-ranges.ts";
import {
  type EarlierDownload,
  type FileIdentity,
  partialPath,
  readNotes,
  removeNotes,
  reserveNotes,
  writeNotes,
} from "./download-notes.ts";

const flushIntervalMs = 10_000;

export class PartialFile {
  /** Final path as far as it is known; the unfinished file is named after it. */
  readonly target: string;
  readonly identity: FileIdentity;
  /** Reason why earlier bytes are not used; undefined if there were none. */
  readonly restartReason: string | undefined;
  readonly #handle: FileHandle;
  readonly #ranges: ByteRanges;
  readonly #openedMs = performance.now();
  #flushedMs = performance.now();
  #notedBytes: number;
  #noting: Promise<void> = Promise.resolve();

  private constructor(
    target: string,
    identity: FileIdentity,
    handle: FileHandle,
    earlier: EarlierDownload,
  ) {
    this.target = target;
    this.identity = identity;
    this.restartReason = earlier.kind === "useless" ? earlier.reason : undefined;
    this.#handle = handle;
    this.#ranges = new ByteRanges(earlier.kind === "usable" ? earlier.ranges : []);
    this.#notedBytes = this.#ranges.total;
  }

  /**
   * Resumes an earlier download at `target` if its content is the same. The caller must hold the
   * lock of `target`.
   * @throws ProductError `STORE_DISK_FULL`, `STORE_HUB_WRITE_FAILED`
   */
  static async open(target: string, identity: FileIdentity): Promise<PartialFile> {
    const file = partialPath(target);
    try {
      await makeFolder(path.dirname(target));
      const earlier = await findEarlier(target, identity);
      // Removes the notes before the new file is created, so that they never describe a missing
      // file.
      if (earlier.kind !== "usable") await removeNotes(target);
      await reserveNotes(target);
      if (earlier.kind !== "usable") await writeFile(file, "");
      // The file is sparse: it takes no disk space before bytes arrive.
      await truncate(file, identity.sizeBytes);
      const handle = await open(file, "r+");
      return new PartialFile(target, identity, handle, earlier);
    } catch (error) {
      throw writeError(error, file);
    }
  }

  get path(): string {
    return partialPath(this.target);
  }

  /** Bytes that are written. */
  get completedBytes(): number {
    return this.#ranges.total;
  }

  /** Bytes written from the beginning up to the first gap. */
  get frontBytes(): number {
    return this.#ranges.front;
  }

  missing(): ByteRange[] {
    return this.#ranges.missing(this.identity.sizeBytes);
  }

  /** @throws ProductError `STORE_DISK_FULL`, `STORE_HUB_WRITE_FAILED` */
  async write(chunks: readonly Buffer[], position: number): Promise<void> {
    let rest = chunks;
    let at = position;
    try {
      while (rest.length > 0) {
        const { bytesWritten } = await this.#handle.writev(rest, at);
        this.#ranges.add(at, at + bytesWritten);
        at += bytesWritten;
        rest = withoutFirst(rest, bytesWritten);
      }
    } catch (error) {
      throw writeError(error, this.path);
    }
  }

  /** Saves the ranges that have arrived so far. */
  note(): Promise<void> {
    this.#noting = this.#noting.then(() => this.#note());
    return this.#noting;
  }

  async #note(): Promise<void> {
    const ranges = this.#ranges.list();
    const total = this.#ranges.total;
    if (total === this.#notedBytes) return;
    const { sha256 } = this.identity;
    try {
      if (sha256 === undefined || performance.now() - this.#flushedMs > flushIntervalMs) {
        await this.#handle.datasync();
        this.#flushedMs = performance.now();
      }
      await writeNotes(this.target, this.identity, ranges);
      this.#notedBytes = total;
    } catch (error) {
      throw writeError(error, this.path);
    }
  }

  /** Renames the complete file, which the caller has verified, into place. */
  async finish(destination: string): Promise<void> {
    // A failed note does not matter: the file is complete.
    await this.#noting.catch(() => {});
    try {
      await this.#flushEnd();
      await rename(this.path, destination);
      await removeNotes(this.target);
    } catch (error) {
      throw writeError(error, destination);
    }
  }

  /** Flushes bytes that took long to fetch. */
  async #flushEnd(): Promise<void> {
    const tookMs = performance.now() - this.#openedMs;
    try {
      if (this.identity.sha256 === undefined || tookMs > flushIntervalMs) {
        await this.#handle.datasync();
      }
    } finally {
      await this.#handle.close();
    }
  }

  /** Closes the file and keeps it for resuming, unless it is empty. */
  async keep(): Promise<void> {
    if (this.completedBytes === 0) return await this.discard();
    try {
      await this.note();
    } finally {
      await this.#handle.close();
    }
  }

  /** Deletes what was fetched. */
  async discard(): Promise<void> {
    // A failed note does not matter: the file it describes is deleted.
    await this.#noting.catch(() => {});
    await this.#handle.close();
    await removePartial(this.target);
  }
}

/** Removes an unfinished download. */
export async function removePartial(target: string): Promise<void> {
  await removeNotes(target);
  await rm(partialPath(target), { force: true });
}

/** Returns chunks without their first bytes. */
function withoutFirst(chunks: readonly Buffer[], bytes: number): Buffer[] {
  let skip = bytes;
  return chunks.flatMap((chunk) => {
    const from = Math.min(skip, chunk.length);
    skip -= from;
    return from < chunk.length ? [chunk.subarray(from)] : [];
  });
}

async function findEarlier(target: string, identity: FileIdentity): Promise<EarlierDownload> {
  const earlier = await readNotes(target, identity);
  if (earlier.kind !== "usable") return earlier;
  const facts = await stat(partialPath(target)).catch(() => undefined);
  return facts?.size === identity.sizeBytes ? earlier : { kind: "none" };
}

/** Explains a failed write; returns other errors unchanged. */
export function writeError(error: unknown, file: string): unknown {
  const code = systemCode(error);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new ProductError(storeErrors.diskFull, {
      message: `Disk full: ${path.dirname(file)} has no space left for the download.`,
      hint: "Free some space, then run the command again to resume.",
      cause: error,
    });
  }
  if (code === "EEXIST" || code === "ENOTDIR") {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written: its folder is a file.`,
      hint: "Name another folder.",
      cause: error,
    });
  }
  if (code !== undefined && /^(EACCES|EPERM|EROFS|EISDIR|EFBIG|EIO|ENOENT)$/.test(code)) {
    return new ProductError(storeErrors.hubWriteFailed, {
      message: `${file} cannot be written (${code}).`,
      hint: "Check the folder's permissions and the disk.",
      cause: error,
    });
  }
  return error;
}
