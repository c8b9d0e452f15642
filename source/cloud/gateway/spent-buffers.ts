// Has the buffers of long replies freed soon. To V8 a buffer of 64 KiB is a few bytes of its heap:
// left alone it lets 60 MiB of them gather before it looks, for a stream that needs two.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** So much may gather. A short collection takes about a millisecond, and chats hardly get here. */
const gatheredBytes = 8 * 2 ** 20;

export class SpentBuffers {
  readonly #collect = youngCollection();
  #bytes = 0;

  /** A piece of a reply has been handed on. */
  note(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < gatheredBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}

/** Node has no call for it: V8 gives it to contexts that are made while the flag is set. */
function youngCollection(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? () => collect({ type: "minor" }) : () => {};
}
