// Worker thread that computes the SHA-256 of a growing file, up to the announced size.
import { createHash } from "node:crypto";
import { openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** From the hasher: the file holds this many bytes; the last message names all of them. */
export interface HashRequest {
  upTo: number;
  isLast: boolean;
}

/** To the hasher: progress, and finally the hash. */
export interface HashResult {
  hashedBytes: number;
  /** 64 hex digits. */
  sha256?: string;
}

/** Hashes bytes while they are still in the processor's cache. */
const bufferBytes = 256 * 1024;
const reportBytes = 64 * 1024 ** 2;

const file = openSync(String(workerData), "r");
const hash = createHash("sha256");
const buffer = Buffer.allocUnsafe(bufferBytes);
let hashedBytes = 0;

parentPort?.on("message", ({ upTo, isLast }: HashRequest) => {
  let reportedBytes = hashedBytes;
  while (hashedBytes < upTo) {
    const length = readSync(
      file,
      buffer,
      0,
      Math.min(bufferBytes, upTo - hashedBytes),
      hashedBytes,
    );
    if (length === 0) throw new Error("the file is shorter than what was written to it");
    hash.update(buffer.subarray(0, length));
    hashedBytes += length;
    if (hashedBytes - reportedBytes >= reportBytes) {
      reportedBytes = hashedBytes;
      report({ hashedBytes });
    }
  }
  if (isLast) report({ hashedBytes, sha256: hash.digest("hex") });
});

function report(result: HashResult): void {
  parentPort?.postMessage(result);
}
