// Large buffers that sockets read into, one read behind the other, used again once their bytes are on
// the disk. Otherwise a gigabyte is sixteen thousand fresh buffers, and a third of a download's time
// goes to collecting them; and what arrives in small pieces, as TLS brings it, lies together here.
import type { Socket } from "node:net";

const bufferBytes = 1024 ** 2;
/** A system call for less is not worth its price. */
const smallestReadBytes = 32 * 1024;
const mostFree = 64;

export class ReadBuffers {
  readonly #free: ArrayBufferLike[] = [];
  /** How far each buffer is filled into which nothing more is read. */
  readonly #filled = new WeakMap<ArrayBufferLike, number>();
  /** What the last read has left of its buffer. The same socket asks for its next one at once. */
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
   * Takes a chunk back. Nobody may need its bytes any more, nor those that came before it on the same
   * connection. Chunks of other origin are of no interest.
   */
  giveBack({ buffer, byteOffset, length }: Buffer): void {
    if (this.#filled.get(buffer) !== byteOffset + length) return;
    this.#filled.delete(buffer);
    if (this.#free.length < mostFree) this.#free.push(buffer);
  }

  #next(): Uint8Array {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) return rest;
    return new Uint8Array(this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes).buffer);
  }

  #keepRest(memory: ArrayBufferLike, offset: number, restBytes: number): void {
    if (restBytes < smallestReadBytes) this.#filled.set(memory, offset);
    else this.#rest = new Uint8Array(memory, offset);
  }
}
