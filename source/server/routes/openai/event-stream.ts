// A reply of server-sent events: data, an error when a status is no longer possible, [DONE].
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorBody, toProductError } from "../../plugins/error-replies.ts";
import { StreamWriter } from "../../stream-writer.ts";

export class EventStream {
  readonly #request: FastifyRequest;
  readonly #writer: StreamWriter;

  /**
   * @param signal aborted when the client leaves
   * @param silenceMs see `StreamWriter.breakSilence`
   */
  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    signal: AbortSignal,
    silenceMs?: number,
  ) {
    this.#request = request;
    this.#writer = new StreamWriter(reply, "text/event-stream; charset=utf-8", signal);
    this.#writer.breakSilence(silenceMs);
  }

  async send(data: unknown): Promise<void> {
    await this.#writer.write(`data: ${JSON.stringify(data)}\n\n`);
  }

  async done(): Promise<void> {
    await this.#writer.write("data: [DONE]\n\n");
    this.#writer.end();
  }

  /**
   * Ends the stream with the error as its last event, without [DONE].
   *
   * @throws the error itself while nothing was sent, so that it can have a status
   */
  async fail(error: unknown): Promise<void> {
    if (!this.#writer.isOpen) throw error;
    const known = toProductError(error);
    this.#request.failure = { code: known.code, message: known.sentence };
    await this.send(errorBody(this.#request.url, known));
    this.#writer.end();
  }
}
