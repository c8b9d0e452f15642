// Answers on APIs that stream events with names: each event, or at the end the answer as a whole.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ProductError } from "../../base/product-error.ts";
import type { CanonicalEvent, CanonicalRequest } from "../../engine/request.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { toProductError } from "../plugins/error-replies.ts";
import { clientSignal, requestCanceled, runRequest } from "../run-request.ts";
import { StreamWriter } from "../stream-writer.ts";
import { announceTruncation } from "./truncation-header.ts";

export interface NamedEvent {
  type: string;
  [field: string]: unknown;
}

/** Takes the events of one answer and tells what its client is to be told. */
export interface NamedAnswer {
  /** @returns the events of the stream; the first of them when the prompt is accepted */
  take(event: CanonicalEvent): NamedEvent[];
  /** @returns the last events of a stream that fails */
  fail(error: ProductError): NamedEvent[];
  /** The answer as a whole, once `done` was taken. */
  toJson(): unknown;
}

/** @throws ProductError of the store, the prompt or the engine, while nothing was sent */
export async function replyWithNamedEvents(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  {
    canonical,
    model,
    stream,
  }: { canonical: CanonicalRequest; model: ResolvedModel; stream: boolean },
  answer: NamedAnswer,
): Promise<FastifyReply> {
  const signal = clientSignal(reply);
  const writer = new StreamWriter(reply, "text/event-stream; charset=utf-8", signal);
  if (stream) writer.breakSilence();
  const send = async (events: readonly NamedEvent[]) => {
    if (events.length > 0) await writer.write(events.map(frame).join(""));
  };
  try {
    for await (const event of runRequest(dependencies, request, canonical, model, signal)) {
      if (event.type === "done" && event.reason === "cancelled") throw requestCanceled();
      if (event.type === "truncated") announceTruncation(reply, event);
      const events = answer.take(event);
      if (stream) await send(events);
    }
    if (signal.aborted) throw requestCanceled();
    if (!stream) return await reply.send(answer.toJson());
    writer.end();
  } catch (error) {
    if (!writer.isOpen) throw error;
    // Too late for a status.
    const known = toProductError(error);
    request.failure = { code: known.code, message: known.sentence };
    await send(answer.fail(known));
    writer.end();
  }
  return reply;
}

function frame(event: NamedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
