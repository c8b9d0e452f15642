// Worker thread that reads memory as fast as one core can, and reports the bytes per second.
import { parentPort, workerData } from "node:worker_threads";

/** From the measurement: memory to read, and how long. */
export interface BandwidthTask {
  bufferBytes: number;
  milliseconds: number;
}

/** Small enough to be timed many times, large enough to be read at full speed. */
const pieceBytes = 4 * 1024 ** 2;
/** Passes during which another program had the core are slower: most of them are left out. */
const countedShare = 0.1;

const { bufferBytes, milliseconds }: BandwidthTask = workerData;
// Fresh memory is all one page until it is written.
const memory = Buffer.alloc(bufferBytes, 1);
const rates: number[] = [];
const end = performance.now() + milliseconds;
for (let at = 0; performance.now() < end; at = (at + pieceBytes) % bufferBytes) {
  const piece = memory.subarray(at, at + pieceBytes);
  const start = performance.now();
  // Finds nothing, with the processor's widest instructions.
  piece.indexOf(0);
  rates.push(piece.length / (performance.now() - start));
}
rates.sort((one, other) => other - one);
const best = rates[Math.floor(rates.length * countedShare)] ?? 0;
parentPort?.postMessage(best * 1000);
