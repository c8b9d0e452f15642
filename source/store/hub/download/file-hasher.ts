// Computes the SHA-256 of a file during the download, up to the first gap.
import { Worker } from "node:worker_threads";
import { cancelled } from "../retry.ts";
import type { HashRequest, HashResult } from "./hash-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./hash-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** Smallest piece of work for the worker, except at the end. */
const stepBytes = 4 * 1024 ** 2;

export class FileHasher {
  readonly #worker: Worker;
  readonly #digest = Promise.withResolvers<string>();
  #announcedBytes = 0;
  #hashedBytes = 0;
  #onProgress: ((hashedBytes: number) => void) | undefined;

  constructor(file: string) {
    this.#worker = new Worker(workerFile, { workerData: file, execArgv: [] });
    // The caller of `digest` gets the rejection; there is none if the download fails first.
    this.#digest.promise.catch(() => {});
    this.#worker.on("message", ({ hashedBytes, sha256 }: HashResult) => {
      this.#hashedBytes = hashedBytes;
      this.#onProgress?.(hashedBytes);
      if (sha256 !== undefined) this.#digest.resolve(sha256);
    });
    this.#worker.once("error", (error) => this.#digest.reject(error));
    this.#worker.once("exit", () => this.#digest.reject(new Error("the hash worker ended")));
  }

  /** Announces that the file's bytes up to this position are written and will not change. */
  advance(upTo: number): void {
    if (upTo - this.#announcedBytes < stepBytes) return;
    this.#announcedBytes = upTo;
    this.#send({ upTo, isLast: false });
  }

  /**
   * @param sizeBytes the whole file
   * @param onHashed called with the number of hashed bytes
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

  #send(request: HashRequest): void {
    this.#worker.postMessage(request);
  }
}
