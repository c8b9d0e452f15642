// A file that is being downloaded, with notes that say which bytes have arrived.
//
// A range is noted only after the system has taken its bytes, and the notes are replaced as a whole,
// so a process killed at any moment leaves notes that are true. A power cut may lose bytes that the
// system had taken: they are flushed to the disk before every note when no hash is known, else every
// few seconds, and the hash over the whole file at the end finds what is lost in between.
import { type FileHandle, open, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../../../base/make-folder.ts";
import { type ByteRange, ByteRanges } from "./byte-ranges.ts";
import { writeError } from "./disk-space.ts";
import {
  type EarlierDownload,
  type FileIdentity,
  partialPath,
  readNotes,
  removeNotes,
  reserveNotes,
  writeNotes,
} from "./download-notes.ts";
import { FileWriter } from "./file-writer.ts";

const flushIntervalMs = 10_000;

export class PartialFile {
  /** Where the finished file belongs, as far as is known; names the unfinished one. */
  readonly target: string;
  readonly identity: FileIdentity;
  /** Why bytes fetched earlier are not used, when there were any. */
  readonly restartReason: string | undefined;
  readonly #handle: FileHandle;
  readonly #writer: FileWriter;
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
    this.#writer = new FileWriter(handle.fd);
    this.#ranges = new ByteRanges(earlier.kind === "usable" ? earlier.ranges : []);
    this.#notedBytes = this.#ranges.total;
  }

  /**
   * Resumes an earlier download at `target` if its content is the same. The caller makes sure that
   * nobody else does so at the same time.
   * @throws ProductError `STORE_DISK_FULL`, `STORE_HUB_WRITE_FAILED`
   */
  static async open(target: string, identity: FileIdentity): Promise<PartialFile> {
    const file = partialPath(target);
    try {
      await makeFolder(path.dirname(target));
      const earlier = await findEarlier(target, identity);
      // Notes never speak of a file that is not there: the new file comes after they have gone.
      if (earlier.kind !== "usable") await removeNotes(target);
      await reserveNotes(target);
      if (earlier.kind !== "usable") await writeFile(file, "");
      // Sparse: no disk space is taken before bytes come.
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

  /** Bytes that are written from the beginning without a hole. */
  get frontBytes(): number {
    return this.#ranges.front;
  }

  missing(): ByteRange[] {
    return this.#ranges.missing(this.identity.sizeBytes);
  }

  /** @throws ProductError `STORE_DISK_FULL`, `STORE_HUB_WRITE_FAILED` */
  async write(chunks: readonly Buffer[], position: number): Promise<void> {
    const { writtenBytes, error } = await this.#writer.write(chunks, position);
    this.#ranges.add(position, position + writtenBytes);
    if (error !== undefined) throw writeError(error, this.path);
  }

  /** Writes down what has arrived so far. */
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

  /** Puts the whole file, which the caller has verified, in its place. */
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

  /** Flushing costs a moment, and losing bytes that took long to fetch costs more. */
  async #flushEnd(): Promise<void> {
    const tookMs = performance.now() - this.#openedMs;
    try {
      if (this.identity.sha256 === undefined || tookMs > flushIntervalMs) {
        await this.#handle.datasync();
      }
    } finally {
      await this.#close();
    }
  }

  /** Closes the file and keeps it for the next time, if there is anything in it. */
  async keep(): Promise<void> {
    if (this.completedBytes === 0) return await this.discard();
    try {
      await this.note();
    } finally {
      await this.#close();
    }
  }

  /** Deletes what was fetched. */
  async discard(): Promise<void> {
    // A failed note does not matter: the file it describes is deleted.
    await this.#noting.catch(() => {});
    await this.#close();
    await removePartial(this.target);
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    await this.#handle.close();
  }
}

/** Removes what an unfinished download has left. */
export async function removePartial(target: string): Promise<void> {
  await removeNotes(target);
  await rm(partialPath(target), { force: true });
}

async function findEarlier(target: string, identity: FileIdentity): Promise<EarlierDownload> {
  const earlier = await readNotes(target, identity);
  if (earlier.kind !== "usable") return earlier;
  const facts = await stat(partialPath(target)).catch(() => undefined);
  return facts?.size === identity.sizeBytes ? earlier : { kind: "none" };
}
