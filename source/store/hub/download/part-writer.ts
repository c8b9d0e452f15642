// Gathers the chunks of one connection into a few large writes, and keeps reading while they run.
import type { PartialFile } from "./partial-file.ts";

/** Size of a write: large enough to be few, small enough to stay in the processor's cache. */
const writeBytes = 512 * 1024;
/** Bytes by which a connection may be ahead of the disk. */
const maxWaitingBytes = 2 * writeBytes;
/** On a slow line, bytes reach the disk, the notes and the progress display at least this often. */
const writeIntervalMs = 250;

export class PartWriter {
  readonly #file: PartialFile;
  readonly #onWritten: () => void;
  #position: number;
  #chunks: Buffer[] = [];
  #gatheredBytes = 0;
  /** Gathered or being written. */
  #waitingBytes = 0;
  #writtenMs = performance.now();
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  /** @param position of the first byte in the file */
  constructor(file: PartialFile, position: number, onWritten: () => void) {
    this.#file = file;
    this.#position = position;
    this.#onWritten = onWritten;
  }

  /** A returned promise settles when more may come; it rejects if writing failed. */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#hasFailed) return this.#writing;
    this.#chunks.push(chunk);
    this.#gatheredBytes += chunk.length;
    this.#waitingBytes += chunk.length;
    const isDue = performance.now() - this.#writtenMs >= writeIntervalMs;
    if (this.#gatheredBytes < writeBytes && !isDue) return undefined;
    const before = this.#writing;
    this.#write();
    // Waits for the writes before this one, not for this one.
    return this.#waitingBytes > maxWaitingBytes ? before : undefined;
  }

  /** Writes the gathered bytes; resolves when no write is pending. */
  flush(): Promise<void> {
    this.#write();
    return this.#writing;
  }

  #write(): void {
    const chunks = this.#chunks;
    const position = this.#position;
    const bytes = this.#gatheredBytes;
    this.#position += bytes;
    this.#chunks = [];
    this.#gatheredBytes = 0;
    this.#writtenMs = performance.now();
    this.#writing = this.#writing.then(async () => {
      if (bytes === 0) return;
      await this.#file.write(chunks, position);
      this.#waitingBytes -= bytes;
      this.#onWritten();
    });
    // The next push or flush reports the failure.
    this.#writing.catch(() => {
      this.#hasFailed = true;
    });
  }
}
