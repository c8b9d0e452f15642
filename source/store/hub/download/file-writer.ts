// Writes to a file from a worker thread: there are many system calls, and a slow disk must not
// block the main thread.
import { Worker } from "node:worker_threads";
import type { WriteReply, WriteRequest } from "./write-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./write-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

export interface WriteResult {
  /** From the beginning of what was to be written, also where the rest failed. */
  writtenBytes: number;
  /** With the system's `code`. */
  error?: Error;
}

export class FileWriter {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, (result: WriteResult) => void>();
  #nextId = 1;
  #end: Error | undefined;

  /** @param descriptor of a file that stays open until `close` */
  constructor(descriptor: number) {
    this.#worker = new Worker(workerFile, { workerData: descriptor, execArgv: [] });
    this.#worker.on("message", (news: WriteReply) => this.#settle(news));
    this.#worker.once("error", (error) => this.#fail(error));
    this.#worker.once("exit", () => this.#fail(new Error("the write worker ended")));
  }

  /** Writes in the order of the calls. The chunks must not change until then. */
  write(chunks: readonly Buffer[], position: number): Promise<WriteResult> {
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    if (this.#end !== undefined) return Promise.resolve({ writtenBytes: 0, error: this.#end });
    const id = this.#nextId;
    this.#nextId += 1;
    this.#waiting.set(id, resolve);
    const order: WriteRequest = { id, position, pieces: chunks.map(shareable) };
    this.#worker.postMessage(order);
    return promise;
  }

  /** Only call this while no write is pending. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, writtenBytes, failure }: WriteReply): void {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === undefined) {
      resolve?.({ writtenBytes });
      return;
    }
    const { code, message } = failure;
    resolve?.({ writtenBytes, error: Object.assign(new Error(message), { code }) });
  }

  #fail(error: Error): void {
    this.#end ??= error;
    for (const resolve of this.#waiting.values()) resolve({ writtenBytes: 0, error });
    this.#waiting.clear();
  }
}

/** Memory of one thread alone would be copied, and all of it for the smallest part. */
function shareable({ buffer, byteOffset, length }: Buffer): Uint8Array {
  const view = new Uint8Array(buffer, byteOffset, length);
  return buffer instanceof SharedArrayBuffer ? view : new Uint8Array(view);
}
