// Raw output file of a replica, read incrementally as lines.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";

export interface RawLine {
  text: string;
  /** Bytes of the raw file up to the end of this line. */
  offset: number;
}

export interface RawChunk {
  lines: RawLine[];
  /** Incomplete last line, such as a progress bar that redraws itself. */
  unfinished: string;
  /** Milliseconds since 1970 of the last write. */
  writtenAt: number;
  /** True when there is more to read now. */
  hasMore: boolean;
  /** Bytes that were skipped because output arrives faster than it can be logged. */
  skippedBytes: number;
  wasEmptied: boolean;
}

export interface RawLimits {
  /** Maximum bytes of one read. */
  readBytes: number;
  /** Maximum bytes of a line; longer ones are split. */
  lineBytes: number;
  /** Unread bytes beyond which all but the last are skipped. */
  backlogBytes: number;
  /** Size at which a fully read file is emptied. */
  emptyAtBytes: number;
}

export const defaultRawLimits: RawLimits = {
  readBytes: 256 * 1024,
  lineBytes: 64 * 1024,
  backlogBytes: 64 * 1024 ** 2,
  emptyAtBytes: 10 * 1024 ** 2,
};

const newline = 10;

export class RawOutput {
  readonly #descriptor: number;
  readonly #limits: RawLimits;
  /** Start of the next line. */
  #offset: number;
  /** Bytes of that line read so far. */
  #pending = Buffer.alloc(0);

  /** @param offset bytes of the file that are in the log already */
  constructor(file: string, offset: number, limits: RawLimits = defaultRawLimits) {
    this.#descriptor = openSync(file, "r+");
    this.#offset = offset;
    this.#limits = limits;
  }

  get offset(): number {
    return this.#offset;
  }

  /** @param isFinal no more output follows, so an incomplete line counts as one */
  read(isFinal = false): RawChunk {
    const { size, mtimeMs } = fstatSync(this.#descriptor);
    if (size < this.#offset + this.#pending.length) this.#moveTo(0); // the file was emptied
    let skippedBytes = this.#skip(size);
    const begin = this.#offset + this.#pending.length;
    const block = Buffer.alloc(Math.min(size - begin, this.#limits.readBytes));
    const length = readSync(this.#descriptor, block, 0, block.length, begin);
    this.#pending = Buffer.concat([this.#pending, block.subarray(0, length)]);
    if (skippedBytes > 0) skippedBytes += this.#dropPartOfLine();
    const hasMore = begin + length < size;
    const lines = this.#takeLines(isFinal && !hasMore);
    const unfinished = visible(this.#pending.toString());
    const wasEmptied = this.#empty(skippedBytes > 0);
    return { lines, unfinished, writtenAt: mtimeMs, hasMore, skippedBytes, wasEmptied };
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #takeLines(isFinal: boolean): RawLine[] {
    const lines: RawLine[] = [];
    for (let end = this.#endOfLine(isFinal); end > 0; end = this.#endOfLine(isFinal)) {
      const bytes = this.#pending.subarray(0, end);
      this.#pending = this.#pending.subarray(end);
      this.#offset += end;
      const text = visible(bytes.toString().replace(/\r?\n$/, ""));
      lines.push({ text, offset: this.#offset });
    }
    return lines;
  }

  /** @returns 0 when there is no complete line */
  #endOfLine(isFinal: boolean): number {
    const { lineBytes } = this.#limits;
    const end = this.#pending.indexOf(newline) + 1;
    if (end > 0 && end <= lineBytes) return end;
    if (this.#pending.length > lineBytes) return startOfCharacter(this.#pending, lineBytes);
    return isFinal ? this.#pending.length : end;
  }

  /** @returns number of skipped bytes; the last bytes are kept, as they explain most */
  #skip(size: number): number {
    const { backlogBytes, readBytes } = this.#limits;
    if (size - this.#offset <= backlogBytes) return 0;
    const begun = this.#offset;
    this.#moveTo(size - Math.min(backlogBytes, readBytes));
    return this.#offset - begun;
  }

  #dropPartOfLine(): number {
    const end = this.#pending.indexOf(newline) + 1;
    this.#pending = this.#pending.subarray(end);
    this.#offset += end;
    return end;
  }

  #moveTo(offset: number): void {
    this.#offset = offset;
    this.#pending = Buffer.alloc(0);
  }

  /**
   * Replicas append, so an emptied file grows from its start. Output written between the two calls
   * here is lost: some microseconds per 10 MiB, the price of using files instead of pipes.
   *
   * @param isBehind output arrives faster than it is read, so its end is never reached and the disk
   * would fill up
   */
  #empty(isBehind: boolean): boolean {
    if (!isBehind) {
      if (this.#pending.length > 0 || this.#offset < this.#limits.emptyAtBytes) return false;
      if (fstatSync(this.#descriptor).size !== this.#offset) return false;
    }
    ftruncateSync(this.#descriptor, 0);
    this.#moveTo(0);
    return true;
  }
}

/** Returns the visible part of a line that redraws itself with carriage returns. */
function visible(text: string): string {
  return text.split("\r").findLast((part) => part !== "") ?? "";
}

/** Returns the last position up to `at` where a UTF-8 character starts. */
function startOfCharacter(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
