// Gathers the chunks of one connection into few large writes.
import type { PartialFile } from "./partial-file.ts";

/** Large enough to be few, small enough to be still in the processor's cache when they are written. */
const writeBytes = 512 * 1024;
/** On a slow line, bytes reach the disk, the notes and the progress no later than this. */
const writeIntervalMs = 250;

export class PartWriter {
  readonly #file: PartialFile;
  readonly #onWritten: (chunks: readonly Buffer[]) => void;
  #position: number;
  #chunks: Buffer[] = [];
  #gatheredBytes = 0;
  #writtenMs = performance.now();
  #writing: Promise<void> = Promise.resolve();

  /** @param position of the first byte in the file */
  constructor(file: PartialFile, position: number, onWritten: (chunks: readonly Buffer[]) => void) {
    this.#file = file;
    this.#position = position;
    this.#onWritten = onWritten;
  }

  /** The promise, when there is one, settles when more may come. */
  push(chunk: Buffer): Promise<void> | undefined {
    this.#chunks.push(chunk);
    this.#gatheredBytes += chunk.length;
    const isDue = performance.now() - this.#writtenMs >= writeIntervalMs;
    return this.#gatheredBytes >= writeBytes || isDue ? this.flush() : undefined;
  }

  /** Writes what is gathered; resolves when nothing is under way any more. */
  flush(): Promise<void> {
    const chunks = this.#chunks;
    const position = this.#position;
    this.#position += this.#gatheredBytes;
    this.#chunks = [];
    this.#gatheredBytes = 0;
    this.#writtenMs = performance.now();
    this.#writing = this.#writing.then(async () => {
      if (chunks.length === 0) return;
      await this.#file.write(chunks, position);
      this.#onWritten(chunks);
    });
    return this.#writing;
  }
}
