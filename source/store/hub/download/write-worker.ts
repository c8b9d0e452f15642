// Worker thread that writes bytes to a file, in the order of its messages.
import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";

/** From the writer: write these bytes in a row, starting at `position`. */
export interface WriteOrder {
  id: number;
  position: number;
  pieces: Uint8Array[];
}

/** To the writer: the result of a write. */
export interface WriteNews {
  id: number;
  writtenBytes: number;
  /** Why the rest was not written. */
  failure?: { code: string | undefined; message: string };
}

/**
 * Linux takes memory for one write in one piece. A virtual machine has given large pieces of free memory
 * back to its host, which takes them away and clears them again, page by page: writes of half a megabyte
 * took up to five times as long as small ones there. Smaller ones than this cost more calls.
 */
const mostBytesAtOnce = 32 * 1024;

const file = Number(workerData);

parentPort?.on("message", ({ id, position, pieces }: WriteOrder) => {
  let writtenBytes = 0;
  try {
    for (const piece of pieces) {
      let done = 0;
      while (done < piece.length) {
        const length = Math.min(mostBytesAtOnce, piece.length - done);
        const bytes = writeSync(file, piece, done, length, position + writtenBytes);
        done += bytes;
        writtenBytes += bytes;
      }
    }
    tell({ id, writtenBytes });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    tell({ id, writtenBytes, failure: { code, message } });
  }
});

function tell(news: WriteNews): void {
  parentPort?.postMessage(news);
}
