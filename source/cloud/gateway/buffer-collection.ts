// Frees the buffers of long replies early. V8 counts a buffer of 64 KiB as a few bytes of heap, so
// 60 MiB would pile up for a stream that needs two buffers.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Bytes between collections. A minor one takes about 1 ms; chats rarely reach this. */
const gatheredBytes = 8 * 2 ** 20;

export class BufferCollection {
  readonly #collect = youngCollection();
  #bytes = 0;

  /** Counts a piece of a reply that was passed on. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < gatheredBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}

/** Gets V8's `gc`, which only contexts created under this flag have. */
function youngCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? () => collect({ type: "minor" }) : () => {};
}
