// Large buffers that sockets read into, one read behind the other, used again once their bytes are on
// the disk. Otherwise a gigabyte is sixteen thousand fresh buffers, and a third of a download's time
// goes to collecting them; and what arrives in small pieces, as TLS brings it, lies together here.
import type { Socket } from "node:net";

const bufferBytes = 1024 ** 2;
/** A read of less is not worth a system call. */
const smallestReadBytes = 32 * 1024;
const mostFree = 64;

interface Use {
  /** Bytes that were read, once nothing more is read into the buffer. */
  filledBytes: number | undefined;
  /** Where the last chunk ends that a reader got. */
  handedTo: number;
  /** Bytes that readers have got and not given back. */
  heldBytes: number;
}

export class ReadBuffers {
  readonly #free: ArrayBufferLike[] = [];
  readonly #uses = new WeakMap<ArrayBufferLike, Use>();
  /** The unused rest of the last read's buffer. The same socket asks for its next one at once. */
  #rest: Uint8Array | undefined;

  /** The `onread` of `net.connect` and `tls.connect`. */
  readonly onread: {
    buffer: () => Uint8Array;
    callback: (this: Socket, length: number, buffer: Uint8Array) => boolean;
  };

  constructor() {
    const next = () => this.#next();
    const keepRest = (memory: ArrayBufferLike, offset: number, restBytes: number) =>
      this.#keepRest(memory, offset, restBytes);
    this.onread = {
      buffer: next,
      callback(length, { buffer, byteOffset, byteLength }) {
        const wantsMore = this.push(Buffer.from(buffer, byteOffset, length));
        keepRest(buffer, byteOffset + length, byteLength - length);
        return wantsMore;
      },
    };
  }

  /**
   * A reader gets this chunk of a body. Chunks of one buffer come in their order; what lies between
   * them, the heads of replies, is read by then. Chunks of other origin are of no interest.
   */
  handOut({ buffer, byteOffset, length }: Buffer): void {
    const use = this.#uses.get(buffer);
    if (use === undefined) return;
    use.handedTo = byteOffset + length;
    use.heldBytes += length;
  }

  /**
   * Takes a chunk back whose bytes nobody needs any more. Replies may share a buffer, and theirs come
   * in any order; a buffer that does not come back whole is left to the collector.
   */
  giveBack({ buffer, length }: Buffer): void {
    const use = this.#uses.get(buffer);
    if (use === undefined) return;
    use.heldBytes -= length;
    if (use.heldBytes > 0 || use.handedTo !== use.filledBytes) return;
    this.#uses.delete(buffer);
    if (this.#free.length < mostFree) this.#free.push(buffer);
  }

  #next(): Uint8Array {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) return rest;
    // Another thread writes them to the disk.
    const memory = this.#free.pop() ?? new SharedArrayBuffer(bufferBytes);
    this.#uses.set(memory, { filledBytes: undefined, handedTo: 0, heldBytes: 0 });
    return new Uint8Array(memory);
  }

  #keepRest(memory: ArrayBufferLike, offset: number, restBytes: number): void {
    if (restBytes >= smallestReadBytes) {
      this.#rest = new Uint8Array(memory, offset);
      return;
    }
    const use = this.#uses.get(memory);
    if (use !== undefined) use.filledBytes = offset;
  }
}
