// Worker thread that computes the SHA-256 of a growing file, up to the announced size.
import { createHash } from "node:crypto";
import { openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** From the hasher: the file holds this many bytes; the last time, all of them. */
export interface HashOrder {
  upTo: number;
  isLast: boolean;
}

/** To the hasher: how far it is, and in the end the hash. */
export interface HashNews {
  hashedBytes: number;
  /** 64 hex digits. */
  sha256?: string;
}

/** Hashes bytes while they are still in the processor's cache. */
const bufferBytes = 256 * 1024;
const newsBytes = 64 * 1024 ** 2;

const file = openSync(String(workerData), "r");
const hash = createHash("sha256");
const buffer = Buffer.allocUnsafe(bufferBytes);
let hashedBytes = 0;

parentPort?.on("message", ({ upTo, isLast }: HashOrder) => {
  let toldBytes = hashedBytes;
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
    if (hashedBytes - toldBytes >= newsBytes) {
      toldBytes = hashedBytes;
      tell({ hashedBytes });
    }
  }
  if (isLast) tell({ hashedBytes, sha256: hash.digest("hex") });
});

function tell(news: HashNews): void {
  parentPort?.postMessage(news);
}
