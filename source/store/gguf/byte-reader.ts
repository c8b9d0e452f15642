// Reads a little-endian file from the front in large pieces, never past its end.
const pieceBytes = 1024 * 1024;

/** Thrown when the file ends inside a value. */
export class EndOfFile extends Error {
  override readonly name = "EndOfFile";
}

/** A file handle, or an object with the same `read`. */
export interface ReadableBytes {
  read(
    ...[buffer, offset, length, position]: [Buffer, number, number, number]
  ): Promise<{ bytesRead: number }>;
}

export class ByteReader {
  readonly #file: ReadableBytes;
  /** Size of the whole file. */
  readonly size: number;
  /** Reused for every piece: a vocabulary takes many megabytes. */
  #memory = Buffer.alloc(0);
  #buffer = this.#memory;
  /** Position in the file of the buffer's first byte. */
  #start = 0;
  #offset = 0;

  constructor(file: ReadableBytes, size: number) {
    this.#file = file;
    this.size = size;
  }

  /** Bytes read so far. */
  get position(): number {
    return this.#start + this.#offset;
  }

  get remaining(): number {
    return this.size - this.position;
  }

  /** Use the result at once: the next call may overwrite its memory. */
  async bytes(count: number): Promise<Buffer> {
    await this.load(count);
    return this.loaded(count);
  }

  skip(count: number): void {
    if (count > this.remaining) throw this.#tooShort(count);
    if (this.#offset + count <= this.#buffer.length) {
      this.#offset += count;
      return;
    }
    this.#start = this.position + count;
    this.#buffer = this.#memory.subarray(0, 0);
    this.#offset = 0;
  }

  async uint32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  async uint64(): Promise<number> {
    await this.load(8);
    return this.loadedUint64();
  }

  /**
   * Loads the next bytes into memory. Returns undefined if they are there already, which saves a
   * wait for each of hundreds of thousands of values.
   */
  load(count: number): Promise<void> | undefined {
    if (count > this.remaining) throw this.#tooShort(count);
    return this.#offset + count > this.#buffer.length ? this.#fill(count) : undefined;
  }

  /** Call only after `load`; use the result at once, see `bytes`. */
  loaded(count: number): Buffer {
    const slice = this.#buffer.subarray(this.#offset, this.#offset + count);
    this.#offset += count;
    return slice;
  }

  /**
   * Call only after `load`.
   *
   * @throws RangeError above 2^53, which no count or length of a real file reaches
   */
  loadedUint64(): number {
    const low = this.#buffer.readUInt32LE(this.#offset);
    const high = this.#buffer.readUInt32LE(this.#offset + 4);
    this.#offset += 8;
    const value = high * 2 ** 32 + low;
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a plausible count`);
    return value;
  }

  #tooShort(count: number): EndOfFile {
    return new EndOfFile(`${count} bytes wanted, ${this.remaining} left`);
  }

  async #fill(count: number): Promise<void> {
    const position = this.position;
    const length = Math.min(Math.max(count, pieceBytes), this.size - position);
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafeSlow(length);
    const buffer = this.#memory.subarray(0, length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(
        buffer,
        filled,
        length - filled,
        position + filled,
      );
      if (bytesRead === 0) throw new EndOfFile("the file became shorter while it was read");
      filled += bytesRead;
    }
    this.#buffer = buffer;
    this.#start = position;
    this.#offset = 0;
  }
}
