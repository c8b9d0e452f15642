// Writes a streamed reply piece by piece, at the client's pace.
import { once } from "node:events";
import type { FastifyReply } from "fastify";
import { keepAliveComment } from "../base/http-connection.ts";

/** Half the timeout of the least patient proxies; some clients give up after five minutes. */
const longestSilenceMs = 15_000;

/** Opens the reply with its first piece, so that an earlier error can still set the status. */
export class StreamWriter {
  readonly #reply: FastifyReply;
  readonly #contentType: string;
  readonly #signal: AbortSignal;
  #open = false;
  #silenceTimer: NodeJS.Timeout | undefined;

  /** @param signal aborted at the end of the request, to stop waiting for a slow reader */
  constructor(reply: FastifyReply, contentType: string, signal: AbortSignal) {
    this.#reply = reply;
    this.#contentType = contentType;
    this.#signal = signal;
  }

  /** True once anything has been sent: the status is fixed then. */
  get isOpen(): boolean {
    return this.#open;
  }

  /**
   * For server-sent events: sends a comment after so much silence, as while a model loads. Later
   * failures can no longer set the status.
   */
  breakSilence(everyMs = longestSilenceMs): void {
    const { raw } = this.#reply;
    if (raw.destroyed || raw.closed) return;
    this.#silenceTimer = setTimeout(() => {
      const isRefused = !this.#open && raw.headersSent;
      if (!isRefused && !raw.writableEnded && !raw.writableNeedDrain) this.#send(keepAliveComment);
      this.#silenceTimer?.refresh();
    }, everyMs);
    raw.once("close", () => clearTimeout(this.#silenceTimer));
  }

  async write(text: string): Promise<void> {
    const { raw } = this.#reply;
    // A cancelled request still gets its last record; a client that has left gets none.
    if (raw.destroyed) return;
    this.#silenceTimer?.refresh();
    if (this.#send(text)) return;
    try {
      await once(raw, "drain", { signal: this.#signal });
    } catch (error) {
      if (!this.#signal.aborted) throw error;
    }
  }

  end(): void {
    this.#reply.raw.end();
  }

  /** @returns false when the client is slow */
  #send(text: string): boolean {
    const { raw } = this.#reply;
    if (!this.#open) {
      this.#open = true;
      this.#reply.hijack();
      for (const [name, value] of Object.entries(this.#reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value);
      }
      raw.writeHead(200, {
        "content-type": this.#contentType,
        "cache-control": "no-cache",
        // Asks proxies not to buffer.
        "x-accel-buffering": "no",
      });
      raw.socket?.setNoDelay(true);
    }
    return raw.write(text);
  }
}
