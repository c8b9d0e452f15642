// Runs a canonical request for a route: aborts it when the client leaves, and records it.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "../engine/errors.ts";
import type { CanonicalEvent, CanonicalRequest } from "../engine/request.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";
import { AnswerNotes } from "./answer-notes.ts";
import type { ServerDependencies } from "./dependencies.ts";

/**
 * Aborts when the client disconnects before the reply is complete, or when the request is cancelled
 * by its id. `reply.raw.destroyed` tells them apart.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const { raw, request, server } = reply;
  // The client may have left during the model's lookup.
  if (raw.destroyed || raw.closed) return AbortSignal.abort();
  const id = request.record?.id;
  const known = id === undefined ? undefined : server.cancellations.get(id);
  const controller = known ?? new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** Error of an aborted request, in Ollama's words. */
export function requestCanceled(): ProductError {
  return new ProductError(engineErrors.cancelled, { message: "request canceled" });
}

/** Distinguishes programs on one machine by their user agent. */
function clientOf({ caller, ip, headers }: FastifyRequest): string {
  return caller?.keyId ?? `${ip} ${headers["user-agent"] ?? ""}`;
}

/** Yields the request's events and records each in the log and the metrics. */
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
