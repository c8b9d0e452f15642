// Backward line reader: queries of a log want its newest lines.
import { fstatSync, readSync } from "node:fs";

const blockBytes = 64 * 1024;
const newline = 10;

/** Yields complete lines, last first; text after the last newline is not a line yet. */
export function* linesFromEnd(descriptor: number): Generator<string> {
  /** End of a line whose start is not read yet; undefined before the first newline. */
  let rest: Buffer | undefined;
  for (let end = fstatSync(descriptor).size; end > 0; ) {
    const start = Math.max(0, end - blockBytes);
    const block = Buffer.alloc(end - start);
    const length = readSync(descriptor, block, 0, block.length, start);
    if (length < block.length) throw new Error("a log file was truncated while it was read");
    let until = block.length;
    for (let at = block.lastIndexOf(newline); at >= 0; ) {
      if (rest !== undefined) yield Buffer.concat([block.subarray(at + 1, until), rest]).toString();
      rest = Buffer.alloc(0);
      until = at;
      at = at === 0 ? -1 : block.lastIndexOf(newline, at - 1);
    }
    if (rest !== undefined) rest = Buffer.concat([block.subarray(0, until), rest]);
    end = start;
  }
  if (rest !== undefined) yield rest.toString();
}
