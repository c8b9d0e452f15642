// Computes the SHA-256 of a file during the download, up to the first gap.
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { cancelled } from "../retry.ts";
import type { HashRequest, HashResult } from "./hash-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./hash-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

/** Smallest piece of work for the worker, except at the end. A smaller file is hashed without it. */
const stepBytes = 4 * 1024 ** 2;

export class FileHasher {
  readonly #file: string;
  #worker: Worker | undefined;
  readonly #digest = Promise.withResolvers<string>();
  #announcedBytes = 0;
  #hashedBytes = 0;
  #onProgress: ((hashedBytes: number) => void) | undefined;

  constructor(file: string) {
    this.#file = file;
    // The caller of `digest` gets the rejection; there is none if the download fails first.
    this.#digest.promise.catch(() => {});
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
    if (signal.aborted) throw cancelled();
    if (this.#worker === undefined && sizeBytes < stepBytes) {
      const content = await readFile(this.#file);
      if (signal.aborted) throw cancelled();
      onHashed(sizeBytes);
      return hash("sha256", content.subarray(0, sizeBytes));
    }
    this.#onProgress = onHashed;
    onHashed(this.#hashedBytes);
    const onAbort = () => this.#digest.reject(cancelled());
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      this.#send({ upTo: sizeBytes, isLast: true });
      return await this.#digest.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #startWorker(): Worker {
    const worker = new Worker(workerFile, { workerData: this.#file, execArgv: [] });
    worker.on("message", ({ hashedBytes, sha256 }: HashResult) => {
      this.#hashedBytes = hashedBytes;
      this.#onProgress?.(hashedBytes);
      if (sha256 !== undefined) this.#digest.resolve(sha256);
    });
    worker.once("error", (error) => this.#digest.reject(error));
    worker.once("exit", () => this.#digest.reject(new Error("the hash worker ended")));
    return worker;
  }

  #send(request: HashRequest): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(request);
  }
}
