// Gathers the chunks of one connection into few large writes, and lets it go on while they are done.
import type { PartialFile } from "./partial-file.ts";

/** Large enough to be few, small enough to be still in the processor's cache when they are written. */
const writeBytes = 1024 ** 2;
/** How far a connection may be ahead of the disk. */
const mostWaitingBytes = 2 * writeBytes;
/** On a slow line, bytes reach the disk, the notes and the progress no later than this. */
const writeIntervalMs = 250;

export class PartWriter {
  readonly #file: PartialFile;
  readonly #onWritten: (chunks: readonly Buffer[]) => void;
  #position: number;
  #chunks: Buffer[] = [];
  #gatheredBytes = 0;
  /** Gathered or on the way to the disk. */
  #waitingBytes = 0;
  #writtenMs = performance.now();
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  /** @param position of the first byte in the file */
  constructor(file: PartialFile, position: number, onWritten: (chunks: readonly Buffer[]) => void) {
    this.#file = file;
    this.#position = position;
    this.#onWritten = onWritten;
  }

  /** The promise, when there is one, settles when more may come; it rejects when writing failed. */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#hasFailed) return this.#writing;
    this.#chunks.push(chunk);
    this.#gatheredBytes += chunk.length;
    this.#waitingBytes += chunk.length;
    const isDue = performance.now() - this.#writtenMs >= writeIntervalMs;
    if (this.#gatheredBytes < writeBytes && !isDue) return undefined;
    const before = this.#writing;
    this.#write();
    // What was under way before this write is waited for, not the write itself.
    return this.#waitingBytes > mostWaitingBytes ? before : undefined;
  }

  /** Writes what is gathered; resolves when nothing is under way any more. */
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
      this.#onWritten(chunks);
    });
    // Whoever pushes or flushes next hears of it.
    this.#writing.catch(() => {
      this.#hasFailed = true;
    });
  }
}
