// Replies of APIs with named stream events: one event each, or the whole answer at the end.
import type { FastifyReply } from "fastify";
import type { ProductError } from "../../base/product-error.ts";
import type { CanonicalEvent, CanonicalRequest } from "../../engine/request.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { recordFailure } from "../plugins/error-replies.ts";
import { clientSignal, requestCanceled, runRequest } from "../run-request.ts";
import { StreamWriter } from "../stream-writer.ts";

export interface NamedEvent {
  type: string;
  [field: string]: unknown;
}

/** Converts the events of one answer to those of its client. */
export interface NamedAnswer {
  /** @returns the stream's events; the first ones once the prompt is accepted */
  take(event: CanonicalEvent): NamedEvent[];
  /** @returns the last events of a failed stream */
  fail(error: ProductError): NamedEvent[];
  /** The whole answer, after `done`. */
  toJson(): unknown;
}

/** An answer to be run, and whether its events are streamed. */
interface NamedWork {
  canonical: CanonicalRequest;
  model: ResolvedModel;
  stream: boolean;
}

/** @throws ProductError of the store, the prompt or the engine before anything was sent */
export async function replyWithNamedEvents(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  { canonical, model, stream }: NamedWork,
  answer: NamedAnswer,
): Promise<FastifyReply> {
  const signal = clientSignal(reply);
  const writer = new StreamWriter(reply, "text/event-stream; charset=utf-8", signal);
  if (stream) writer.breakSilence();
  const send = async (events: readonly NamedEvent[]) => {
    if (events.length > 0) await writer.write(events.map(frame).join(""));
  };
  try {
    for await (const event of runRequest(dependencies, reply, canonical, model, signal)) {
      if (event.type === "done" && event.reason === "cancelled") throw requestCanceled();
      const events = answer.take(event);
      if (stream) await send(events);
    }
    if (signal.aborted) throw requestCanceled();
    if (!stream) return await reply.send(answer.toJson());
    writer.end();
  } catch (error) {
    if (!writer.isOpen) throw error;
    // Too late for a status.
    await send(answer.fail(recordFailure(reply.request, error)));
    writer.end();
  }
  return reply;
}

function frame(event: NamedEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
