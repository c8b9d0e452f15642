// Runs a request for a route: finds its model, aborts when the client leaves, and records it.
import type { FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "../engine/errors.ts";
import type { CanonicalEvent, CanonicalRequest, Truncation } from "../engine/request.ts";
import type { ResolvedModel } from "../store/model-catalog.ts";
import { fileAccess } from "./access.ts";
import { AnswerNotes } from "./answer-notes.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { type Warn, warningsOf } from "./warnings.ts";

/** Rules for translating a body into a canonical request. */
export interface ReadingRules {
  /** Tells if this client may name a file outside the store. */
  isFileAllowed: (file: string) => boolean;
  warn: Warn;
  /** Strips texts that agents change in every request. */
  stablePrompts: boolean;
}

/**
 * Finds the model that a request names, without loading it, and notes it in the request log.
 *
 * @throws ProductError of the store
 */
export async function findModel(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  { model: name, stream = false }: { model: string; stream?: boolean },
): Promise<{ model: ResolvedModel; rules: ReadingRules }> {
  const { requestLog, scheduler, stablePrompts } = dependencies;
  const { request } = reply;
  if (request.record !== undefined) requestLog.update(request.record, { model: name, stream });
  const isFileAllowed = fileAccess(request, dependencies);
  const model = await scheduler.resolve({ model: name, isFileAllowed });
  return { model, rules: { isFileAllowed, warn: warningsOf(dependencies, reply), stablePrompts } };
}

/**
 * Aborts when the client disconnects before the reply is complete, or when the request is cancelled
 * by its id. `reply.raw.destroyed` tells them apart.
 */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const { raw, request, server } = reply;
  // The client may have left during the model's lookup.
  if (raw.destroyed || raw.closed) return AbortSignal.abort();
  const id = request.record?.id;
  const known = id === undefined ? undefined : server.running.get(id)?.cancel;
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

/**
 * Yields the events of one answer, records each in the log and the metrics, and announces a
 * truncated conversation in a header.
 */
export async function* runRequest(
  dependencies: ServerDependencies,
  reply: FastifyReply,
  canonical: CanonicalRequest,
  model: ResolvedModel,
  signal: AbortSignal,
): AsyncGenerator<CanonicalEvent> {
  const { request } = reply;
  const notes = new AnswerNotes(
    dependencies,
    request.record,
    model,
    warningsOf(dependencies, reply),
  );
  try {
    const answerNow = request.server.running.get(request.record?.id ?? "")?.answerNow.signal;
    const own: CanonicalRequest = {
      ...notes.begin(canonical),
      client: clientOf(request),
      ...(answerNow !== undefined && { answerNow }),
    };
    for await (const event of dependencies.scheduler.run(own, model, signal)) {
      notes.note(event);
      if (event.type === "prompt" && !canonical.reportProgress) continue;
      if (event.type === "truncated") announceTruncation(reply, event);
      if (event.type === "done") announceTruncation(reply, event.truncated);
      yield event;
    }
  } finally {
    notes.end();
  }
}

/** Distinguishes programs on one machine by their user agent. */
function clientOf({ caller, ip, headers }: FastifyRequest): string {
  return caller?.keyId ?? `${ip} ${headers["user-agent"] ?? ""}`;
}

/** Tells proxies and logs. Does nothing once the reply has begun; its last record reports it too. */
function announceTruncation(reply: FastifyReply, truncation: Truncation | undefined): void {
  if (truncation === undefined || reply.sent) return;
  const { messages, tokens } = truncation;
  reply.header("x-modelctl-truncated", `messages=${messages}, tokens=${tokens}`);
}
