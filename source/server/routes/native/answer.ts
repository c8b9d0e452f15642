// Replies to a native request from the events of its answer: a record per line, or one record.
import type { FastifyReply } from "fastify";
import { engineErrors } from "../../../engine/errors.ts";
import type { TokenLogprob } from "../../../engine/generation.ts";
import type { CanonicalEvent, CanonicalRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { recordFailure, toProductError } from "../../plugins/error-replies.ts";
import { clientSignal, requestCanceled, runRequest } from "../../run-request.ts";
import { StreamWriter } from "../../stream-writer.ts";
import {
  createdAt,
  finalFields,
  logprobFields,
  progressFields,
  renderedFields,
} from "./records.ts";

/** A piece of an answer, or the whole. */
export interface AnswerPiece {
  text: string;
  thinking?: string;
  toolCalls?: ToolCallRecord[];
}

interface ToolCallRecord {
  id: string;
  /** The model wrote the call without the marks of its template. */
  from_text?: true;
  function: { index: number; name: string; arguments: Record<string, unknown> };
}

interface NativeAnswer {
  canonical: CanonicalRequest;
  model: ResolvedModel;
  stream: boolean;
  /** Puts a piece into the route's field of the record. */
  toFields: (piece: AnswerPiece) => Record<string, unknown>;
}

type LastEvent = Extract<CanonicalEvent, { type: "done" | "rendered" }>;
type CallStart = Extract<CanonicalEvent, { type: "tool-call" }>;
type CallEnd = Extract<CanonicalEvent, { type: "tool-call-end" }>;

/** @throws ProductError before the reply has begun */
export async function answerNatively(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  wanted: NativeAnswer,
): Promise<FastifyReply> {
  const { canonical, model } = wanted;
  const signal = clientSignal(reply);
  const answer = new NativeReply(reply, wanted, signal);
  const calls = new Map<number, CallStart>();
  let loadMs = 0;
  let last: LastEvent | undefined;
  try {
    for await (const event of runRequest(dependencies, reply, canonical, model, signal)) {
      switch (event.type) {
        case "loaded":
          loadMs = event.loadMs;
          break;
        case "text":
          await answer.add({ text: event.text }, event.logprobs);
          break;
        case "thinking":
          await answer.add({ text: "", thinking: event.text }, event.logprobs);
          break;
        case "tool-call":
          calls.set(event.index, event);
          break;
        case "tool-call-end":
          await answer.add({ text: "", toolCalls: [callRecord(calls.get(event.index), event)] });
          break;
        case "done":
        case "rendered":
          last = event;
          break;
        default:
          await answer.reportProgress(event);
      }
    }
    if (last?.type === "done") return await answer.end(last, loadMs);
    if (last?.type === "rendered") return await answer.endAlone(renderedFields(last));
    if (signal.aborted) throw requestCanceled();
    return await answer.endAlone({ done: true, done_reason: "load" });
  } catch (error) {
    return await answer.fail(error);
  }
}

/** A complete call, with its arguments as an object. */
function callRecord(
  { id, name, isLoose }: Pick<CallStart, "id" | "name" | "isLoose"> = { id: "", name: "" },
  { index, arguments: values }: CallEnd,
): ToolCallRecord {
  return {
    id,
    ...(isLoose && { from_text: true }),
    function: { index, name, arguments: values },
  };
}

class NativeReply {
  readonly #reply: FastifyReply;
  readonly #wanted: NativeAnswer;
  readonly #writer: StreamWriter;
  /** Parts collected for a reply without a stream. */
  readonly #whole: AnswerPiece = { text: "" };
  readonly #logprobs: TokenLogprob[] = [];

  constructor(reply: FastifyReply, wanted: NativeAnswer, signal: AbortSignal) {
    this.#reply = reply;
    this.#wanted = wanted;
    this.#writer = new StreamWriter(reply, "application/x-ndjson", signal);
  }

  async add(piece: AnswerPiece, logprobs: readonly TokenLogprob[] = []): Promise<void> {
    if (this.#wanted.stream) {
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
    const { stream, canonical } = this.#wanted;
    const progress = stream && canonical.reportProgress ? progressFields(event) : undefined;
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
    const final = finalFields(done, loadMs, this.#reply.elapsedTime);
    if (this.#wanted.stream) {
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
    if (toProductError(error).code === engineErrors.cancelled.code) {
      await this.#write({ text: "" }, { done: true, done_reason: "cancelled" });
    } else {
      const { code, sentence } = recordFailure(this.#reply.request, error);
      await this.#writer.write(`${JSON.stringify({ error: sentence, code })}\n`);
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
    const { canonical, toFields } = this.#wanted;
    return { model: canonical.model, created_at: createdAt(), ...toFields(piece), ...fields };
  }

  #logprobFields(logprobs: readonly TokenLogprob[]): Record<string, unknown> {
    return logprobFields(logprobs, this.#wanted.canonical.topLogprobs ?? 0);
  }
}
