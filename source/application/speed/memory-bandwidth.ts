// Measures how fast the processor's cores read memory, all together.
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { BandwidthTask } from "./bandwidth-worker.ts";

// The worker is JavaScript in dist/ and TypeScript in a checkout; Node runs both.
const workerFile = new URL(
  `./bandwidth-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

const milliseconds = 500;
/** Larger than the caches of most processors, without harm on a small machine. */
const allBuffersBytes = 512 * 1024 ** 2;
const largestShare = 0.25;
const pieceBytes = 4 * 1024 ** 2;
/** More cores than that add nothing to the bandwidth of any machine so far. */
const maxThreads = 16;

/**
 * Takes about a second of all cores.
 *
 * @returns bytes per second
 * @throws Error if the system refuses threads or memory
 */
export async function measureBandwidth(
  threads: number = Math.min(maxThreads, availableParallelism()),
): Promise<number> {
  const roomBytes = Math.min(allBuffersBytes, process.availableMemory() * largestShare);
  const pieces = Math.max(1, Math.floor(roomBytes / threads / pieceBytes));
  const task: BandwidthTask = { bufferBytes: pieces * pieceBytes, milliseconds };
  const rates = await Promise.all(Array.from({ length: threads }, () => rateOf(task)));
  return rates.reduce((sum, rate) => sum + rate, 0);
}

async function rateOf(task: BandwidthTask): Promise<number> {
  const worker = new Worker(workerFile, { workerData: task, execArgv: [] });
  worker.unref();
  return await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the measurement ended early")));
  });
}
