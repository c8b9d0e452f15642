// Reading of a whole file in pieces, which are large for large files alone.
import { createReadStream, type ReadStream } from "node:fs";

const largestPieceBytes = 1024 ** 2;
const smallestPieceBytes = 4096;

/** Reserves memory for each piece, which would cost more than a small file itself. */
export function readPieces(file: string, sizeBytes: number, signal?: AbortSignal): ReadStream {
  const pieceBytes = Math.max(smallestPieceBytes, Math.min(sizeBytes, largestPieceBytes));
  return createReadStream(file, { highWaterMark: pieceBytes, ...(signal && { signal }) });
}
