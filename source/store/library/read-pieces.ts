// Reads a whole file in pieces, whose size follows the file's.
import { createReadStream, type ReadStream } from "node:fs";

const largestPieceBytes = 1024 ** 2;
const smallestPieceBytes = 4096;

/** Limits pieces to the file's size: memory is reserved for a whole piece, even of a small file. */
export function readPieces(file: string, sizeBytes: number, signal?: AbortSignal): ReadStream {
  const pieceBytes = Math.max(smallestPieceBytes, Math.min(sizeBytes, largestPieceBytes));
  return createReadStream(file, { highWaterMark: pieceBytes, ...(signal && { signal }) });
}
