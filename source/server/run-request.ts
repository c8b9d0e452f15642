// Runs a canonical request for a route: aborts it when the client leaves, and keeps its record.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "../engine/errors.ts";
import type { CanonicalEvent, CanonicalRequest } from "../engine/request.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";
import { AnswerNotes } from "./answer-notes.ts";
import type { ServerDependencies } from "./dependencies.ts";

/**
 * Aborts when the client's connection closes before the reply is complete, or when the request is
 * cancelled by its id. Which of the two it was, `reply.raw.destroyed` tells.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const { raw, request, server } = reply;
  // It may have left while its model was looked up.
  if (raw.destroyed || raw.closed) return AbortSignal.abort();
  const id = request.record?.id;
  const known = id === undefined ? undefined : server.cancellations.get(id);
  const controller = known ?? new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Why a request ends whose `clientSignal` was aborted; in Ollama's words. */
export function requestCanceled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "request canceled" });
}

/** Programs on one machine are clients of their own, as far as they say what they are. */
function clientOf({ caller, ip, headers }: FastifyRequest): string {
  return caller?.keyId ?? `${ip} ${headers["user-agent"] ?? ""}`;
}

/** The request's events, each noted in the request log and the metrics. */
export async function* runRequest(
  dependencies: ServerDependencies,
  request: FastifyRequest,
  canonical: CanonicalRequest,
  model: ResolvedModel,
  signal: AbortSignal,
): AsyncGenerator<CanonicalEvent> {
  const notes = new AnswerNotes(dependencies, request.record, model);
  try {
    const own = { ...notes.begin(canonical), client: clientOf(request) };
    const events = dependencies.scheduler.run(own, model, signal);
    for await (const event of events) {
      notes.note(event);
      yield event;
    }
  } finally {
    notes.end();
  }
}
