// Large buffers that sockets read into, used again once their bytes are on the disk. Otherwise a
// gigabyte is sixteen thousand fresh buffers, and a third of a download's time goes to collecting them.
import type { Socket } from "node:net";

const bufferBytes = 256 * 1024;
const mostFree = 64;

export class ReadBuffers {
  readonly #free: Buffer[] = [];
  /** How many bytes each buffer holds that was handed on as it is. */
  readonly #filled = new WeakMap<ArrayBufferLike, number>();

  /** The `onread` of `net.connect` and `tls.connect`. */
  readonly onread: {
    buffer: () => Uint8Array;
    callback: (this: Socket, length: number, buffer: Uint8Array) => boolean;
  };

  constructor() {
    const take = () => this.#free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
    const handOn = (length: number, buffer: Uint8Array) => this.#handOn(length, buffer);
    this.onread = {
      buffer: take,
      callback(length, buffer) {
        return this.push(handOn(length, buffer));
      },
    };
  }

  /** Takes a chunk back whose bytes nobody needs any more. */
  giveBack(chunk: Buffer): void {
    const { buffer, byteOffset, length } = chunk;
    // Only the one chunk that is all that was read: then there is no other that shares the buffer.
    if (byteOffset !== 0 || this.#filled.get(buffer) !== length) return;
    this.#filled.delete(buffer);
    if (this.#free.length < mostFree) this.#free.push(Buffer.from(buffer));
  }

  /** A few bytes, as TLS brings them, are copied rather than keeping so large a buffer from others. */
  #handOn(length: number, buffer: Uint8Array): Buffer {
    const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    if (length >= bufferBytes / 2) {
      this.#filled.set(buffer.buffer, length);
      return bytes;
    }
    if (this.#free.length < mostFree) this.#free.push(Buffer.from(buffer.buffer));
    return Buffer.from(bytes);
  }
}
