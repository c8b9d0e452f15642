// The SHA-256 of a file, computed beside the download as far as the bytes lie without a hole.
import { Worker } from "node:worker_threads";
import type { HashNews, HashOrder } from "./hash-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./hash-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

export class FileHasher {
  readonly #worker: Worker;
  readonly #digest = Promise.withResolvers<string>();
  #hashedBytes = 0;
  #onProgress: ((hashedBytes: number) => void) | undefined;

  constructor(file: string) {
    this.#worker = new Worker(workerFile, { workerData: file, execArgv: [] });
    // Seen by whoever awaits the digest; nobody does when the download fails first.
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
    this.#send({ upTo, isLast: false });
  }

  /**
   * @param sizeBytes the whole file
   * @param onProgress how many bytes have been hashed
   * @returns 64 hex digits
   */
  async digest(sizeBytes: number, onProgress: (hashedBytes: number) => void): Promise<string> {
    this.#onProgress = onProgress;
    onProgress(this.#hashedBytes);
    this.#send({ upTo: sizeBytes, isLast: true });
    return await this.#digest.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #send(order: HashOrder): void {
    this.#worker.postMessage(order);
  }
}
