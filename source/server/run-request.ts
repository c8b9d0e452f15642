// Runs a canonical request for a route: aborts it when the client leaves, and keeps its record.
import type { FastifyReply, FastifyRequest } from "fastify";
import type { CanonicalEvent, CanonicalRequest } from "../engine/request.ts";
import type { RequestLog } from "../request-log/request-log.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";

/**
 * Aborts when the client's connection closes before the reply is complete, or when the request is
 * cancelled by its id. Which of the two it was, `reply.raw.destroyed` tells.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const { raw, request, server } = reply;
  // It may have left while its model was looked up.
  if (raw.destroyed || raw.closed) return AbortSignal.abort();
  const controller = new AbortController();
  const id = request.record?.id;
  if (id !== undefined) server.cancellations.set(id, controller);
  raw.once("close", () => {
    if (id !== undefined) server.cancellations.delete(id);
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** The request's events, each noted in the request log. */
export async function* runRequest(
  { scheduler, requestLog }: ServerDependencies,
  request: FastifyRequest,
  canonical: CanonicalRequest,
  model: ResolvedModel,
  signal: AbortSignal,
): AsyncGenerator<CanonicalEvent> {
  for await (const event of scheduler.run(canonical, model, signal)) {
    note(requestLog, request, event);
    yield event;
  }
}

function note(requestLog: RequestLog, request: FastifyRequest, event: CanonicalEvent): void {
  const { record } = request;
  if (record === undefined) return;
  switch (event.type) {
    case "loaded":
      requestLog.update(record, { loadMs: event.loadMs });
      break;
    case "started": {
      const { promptTokens, cachedTokens, slot } = event;
      requestLog.update(record, { promptTokens, cachedTokens, slot });
      break;
    }
    case "text":
    case "thinking":
    case "tool-call":
      requestLog.update(record, {
        completionTokens: event.tokens,
        firstTokenMs: record.firstTokenMs ?? Date.now() - record.startedAt,
      });
      break;
    case "done": {
      const { completionTokens, queueMs, promptMs, completionMs } = event.statistics;
      const finishReason = event.reason;
      requestLog.update(record, {
        finishReason,
        completionTokens,
        queueMs,
        promptMs,
        completionMs,
      });
    }
  }
}
