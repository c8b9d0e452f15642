// The reply to a native request: a record per line while streaming, or one record.
import type { FastifyReply, FastifyRequest } from "fastify";
import { engineErrors } from "../../../engine/errors.ts";
import type { TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent } from "../../../engine/request.ts";
import { toProductError } from "../../plugins/error-replies.ts";
import { requestCanceled } from "../../run-request.ts";
import { StreamWriter } from "../../stream-writer.ts";
import { announceTruncation } from "../truncation-header.ts";
import { createdAt, finalFields, logprobFields, progressFields } from "./records.ts";
import type { ToolCallRecord } from "./tool-calls.ts";

/** A piece of an answer, or the whole. */
export interface AnswerPiece {
  text: string;
  thinking?: string;
  toolCalls?: ToolCallRecord[];
}

export interface ReplyShape {
  /** As named by the client. */
  model: string;
  stream: boolean;
  /** Puts a piece into the route's field of the record. */
  toFields: (piece: AnswerPiece) => Record<string, unknown>;
  /** Number of alternatives with each log-probability. */
  topLogprobs: number;
  reportProgress: boolean;
}

export class NativeReply {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #shape: ReplyShape;
  readonly #writer: StreamWriter;
  /** Parts collected for a reply without a stream. */
  readonly #whole: AnswerPiece = { text: "" };
  readonly #logprobs: TokenLogprob[] = [];

  constructor(
    request: FastifyRequest,
    reply: FastifyReply,
    shape: ReplyShape,
    signal: AbortSignal,
  ) {
    this.#request = request;
    this.#reply = reply;
    this.#shape = shape;
    this.#writer = new StreamWriter(reply, "application/x-ndjson", signal);
  }

  async add(piece: AnswerPiece, logprobs: readonly TokenLogprob[] = []): Promise<void> {
    if (this.#shape.stream) {
      return await this.#write(piece, { ...this.#logprobFields(logprobs), done: false });
    }
    const whole = this.#whole;
    whole.text += piece.text;
    if (piece.thinking !== undefined) whole.thinking = (whole.thinking ?? "") + piece.thinking;
    if (piece.toolCalls !== undefined) {
      whole.toolCalls = [...(whole.toolCalls ?? []), ...piece.toolCalls];
    }
    for (const logprob of logprobs) this.#logprobs.push(logprob);
  }

  /** Ignores events that carry no progress. */
  async reportProgress(event: CanonicalEvent): Promise<void> {
    const { stream, reportProgress } = this.#shape;
    const progress = stream && reportProgress ? progressFields(event) : undefined;
    if (progress !== undefined) await this.#write({ text: "" }, { ...progress, done: false });
  }

  /**
   * A request cancelled by its id ends normally once its reply has begun.
   *
   * @throws ProductError `ENGINE_CANCELLED` before
   */
  async end(
    done: Extract<CanonicalEvent, { type: "done" }>,
    loadMs: number,
  ): Promise<FastifyReply> {
    const { isOpen } = this.#writer;
    if (done.reason === "cancelled" && !isOpen) throw requestCanceled();
    if (done.truncated !== undefined) announceTruncation(this.#reply, done.truncated);
    const final = finalFields(done, loadMs, this.#reply.elapsedTime);
    if (this.#shape.stream) {
      await this.#write({ text: "" }, final);
      return this.#close();
    }
    const fields = { ...this.#logprobFields(this.#logprobs), ...final };
    return await this.#reply.send(this.#record(this.#whole, fields));
  }

  /** No answer was requested: replies with one plain record, also in a stream. */
  async endAlone(fields: Record<string, unknown>): Promise<FastifyReply> {
    if (!this.#writer.isOpen) return await this.#reply.send(this.#record({ text: "" }, fields));
    await this.#write({ text: "" }, fields);
    return this.#close();
  }

  /**
   * Too late for a status: one more line carries the error, and no final record follows.
   *
   * @throws the error itself as long as the reply has not begun
   */
  async fail(error: unknown): Promise<FastifyReply> {
    if (!this.#writer.isOpen) throw error;
    const { code, sentence: message } = toProductError(error);
    if (code === engineErrors.cancelled.code) {
      await this.#write({ text: "" }, { done: true, done_reason: "cancelled" });
    } else {
      this.#request.failure = { code, message };
      await this.#writer.write(`${JSON.stringify({ error: message, code })}\n`);
    }
    return this.#close();
  }

  #close(): FastifyReply {
    this.#writer.end();
    return this.#reply;
  }

  async #write(piece: AnswerPiece, fields: Record<string, unknown>): Promise<void> {
    await this.#writer.write(`${JSON.stringify(this.#record(piece, fields))}\n`);
  }

  #record(piece: AnswerPiece, fields: Record<string, unknown>): Record<string, unknown> {
    const { model, toFields } = this.#shape;
    return { model, created_at: createdAt(), ...toFields(piece), ...fields };
  }

  #logprobFields(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
    return logprobFields(logprobs, this.#shape.topLogprobs);
  }
}
