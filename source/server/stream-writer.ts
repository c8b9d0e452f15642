// Writes a streamed reply piece by piece, no faster than the client reads.
import { once } from "node:events";
import type { FastifyReply } from "fastify";

/** Opens the reply with its first piece, so that an error before it can still set the status. */
export class StreamWriter {
  readonly #reply: FastifyReply;
  readonly #contentType: string;
  readonly #signal: AbortSignal;
  #open = false;

  /** @param signal aborted when the request has ended: nothing waits for a slow reader any more */
  constructor(reply: FastifyReply, contentType: string, signal: AbortSignal) {
    this.#reply = reply;
    this.#contentType = contentType;
    this.#signal = signal;
  }

  /** Whether anything has been sent: the status can not be changed any more. */
  get isOpen(): boolean {
    return this.#open;
  }

  async write(text: string): Promise<void> {
    const { raw } = this.#reply;
    // A request that was cancelled still gets its last record; a client that has left gets none.
    if (raw.destroyed) return;
    if (!this.#open) {
      this.#open = true;
      this.#reply.hijack();
      for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value);
      }
      raw.writeHead(200, {
        "content-type": this.#contentType,
        "cache-control": "no-cache",
        // Asks buffering proxies to pass each piece on at once.
        "x-accel-buffering": "no",
      });
      raw.socket?.setNoDelay(true);
    }
    if (raw.write(text)) return;
    try {
      await once(raw, "drain", { signal: this.#signal });
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  end(): void {
    this.#reply.raw.end();
  }
}
