// Computes the SHA-256 of a file during the download, up to the first gap.
import { Worker } from "node:worker_threads";
import { cancelled } from "../retry.ts";
import type { HashNews, HashOrder } from "./hash-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./hash-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** Wakes the worker only for at least this much, except at the end. */
const stepBytes = 4 * 1024 ** 2;

export class FileHasher {
  readonly #worker: Worker;
  readonly #digest = Promise.withResolvers<string>();
  #toldBytes = 0;
  #hashedBytes = 0;
  #onProgress: ((hashedBytes: number) => void) | undefined;

  constructor(file: string) {
    this.#worker = new Worker(workerFile, { workerData: file, execArgv: [] });
    // The caller awaiting the digest sees the rejection; nobody awaits it when the download fails
    // first.
    this.#digest.promise.catch(() => {});
    this.#worker.on("message", ({ hashedBytes, sha256 }: HashNews) => {
      this.#hashedBytes = hashedBytes;
      this.#onProgress?.(hashedBytes);
      if (sha256 !== undefined) this.#digest.resolve(sha256);
    });
    this.#worker.once("error", (error) => this.#digest.reject(error));
    this.#worker.once("exit", () => this.#digest.reject(new Error("the hash worker ended")));
  }

  /** The file's first bytes are there up to this position and will not change. */
  advance(upTo: number): void {
    if (upTo - this.#toldBytes < stepBytes) return;
    this.#toldBytes = upTo;
    this.#send({ upTo, isLast: false });
  }

  /**
   * @param sizeBytes the whole file
   * @param onHashed told how many bytes have been hashed
   * @returns 64 hex digits
   * @throws ProductError `STORE_HUB_CANCELLED`
   */
  async digest(
    sizeBytes: number,
    signal: AbortSignal,
    onHashed: (hashedBytes: number) => void,
  ): Promise<string> {
    this.#onProgress = onHashed;
    onHashed(this.#hashedBytes);
    const onAbort = () => this.#digest.reject(cancelled());
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (signal.aborted) throw cancelled();
      this.#send({ upTo: sizeBytes, isLast: true });
      return await this.#digest.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(order: HashOrder): void {
    this.#worker.postMessage(order);
  }
}
