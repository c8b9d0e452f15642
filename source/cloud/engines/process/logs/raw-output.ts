// What a replica has written to one of its two raw files since the last look, as lines.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";

export interface RawLine {
  text: string;
  /** Bytes of the raw file up to the end of this line. */
  offset: number;
}

export interface RawLook {
  lines: RawLine[];
  /** The line that is being written: a progress bar draws itself over and over. */
  unfinished: string;
  /** Milliseconds since 1970 of the last write. */
  writtenAt: number;
  /** Whether there is more to read at once. */
  hasMore: boolean;
  /** Bytes that were passed over, because they come faster than they can be kept. */
  skippedBytes: number;
  wasEmptied: boolean;
}

export interface RawLimits {
  /** Of one look. */
  readBytes: number;
  /** Of one line; a longer one is divided. */
  lineBytes: number;
  /** Unread bytes beyond which all but the last of them are passed over. */
  backlogBytes: number;
  /** Size at which a file that has been read to its end is emptied. */
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
  /** Where the next line begins. */
  #offset: number;
  /** What is read of it. */
  #pending = Buffer.alloc(0);

  /** @param offset how much of the file is in the log already */
  constructor(file: string, offset: number, limits: RawLimits = defaultRawLimits) {
    this.#descriptor = openSync(file, "r+");
    this.#offset = offset;
    this.#limits = limits;
  }

  get offset(): number {
    return this.#offset;
  }

  /** @param isFinal nobody writes any more: an unfinished line is one */
  look(isFinal = false): RawLook {
    const { size, mtimeMs } = fstatSync(this.#descriptor);
    if (size < this.#offset + this.#pending.length) this.#moveTo(0); // it was emptied
    let skippedBytes = this.#passOver(size);
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

  /** @returns 0 when there is no whole line */
  #endOfLine(isFinal: boolean): number {
    const { lineBytes } = this.#limits;
    const end = this.#pending.indexOf(newline) + 1;
    if (end > 0 && end <= lineBytes) return end;
    if (this.#pending.length > lineBytes) return startOfCharacter(this.#pending, lineBytes);
    return isFinal ? this.#pending.length : end;
  }

  /** @returns how many bytes; the last ones are kept, which tell most of why somebody shouts */
  #passOver(size: number): number {
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
   * Replicas append, so an emptied file grows from its beginning. What is written between the two
   * calls here is lost: some microseconds for each 10 MiB, the price of files in place of pipes.
   *
   * @param isBehind it is written faster than it is read: its end is never met, and the disk has one
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

/** Of a line that is drawn over itself by carriage returns, what is seen at last. */
function visible(text: string): string {
  return text.split("\r").findLast((part) => part !== "") ?? "";
}

/** The nearest place at or before `at` where a character of UTF-8 begins. */
function startOfCharacter(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
