// A reply of server-sent events: data, an error when a status is no longer possible, [DONE].
import type { FastifyReply } from "fastify";
import { errorBody, recordFailure } from "../../plugins/error-replies.ts";
import { StreamWriter } from "../../stream-writer.ts";

export class EventStream {
  readonly #reply: FastifyReply;
  readonly #writer: StreamWriter;

  /**
   * @param signal aborted when the client leaves
   * @param silenceMs see `StreamWriter.breakSilence`
   */
  constructor(reply: FastifyReply, signal: AbortSignal, silenceMs?: number) {
    this.#reply = reply;
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
    const { request } = this.#reply;
    await this.send(errorBody(request.url, recordFailure(request, error)));
    this.#writer.end();
  }
}
