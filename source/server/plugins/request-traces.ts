// Traces recorded requests: a span for each, and within it one for the answer and its phases. Names are
// those of OpenTelemetry's conventions for HTTP and for generative AI. Never prompts, answers or keys.
import type { FastifyInstance } from "fastify";
import type { RequestLog } from "../../request-log/request-log.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";
import type { TraceAttributes, TraceSpan, Tracing } from "../../tracing/tracing.ts";

/** Values of `gen_ai.operation.name`. */
const operations: Readonly<Record<string, string>> = {
  "/v1/chat/completions": "chat",
  "/v1/responses": "chat",
  "/v1/messages": "chat",
  "/api/chat": "chat",
  "/v1/completions": "text_completion",
  "/api/generate": "text_completion",
  "/v1/embeddings": "embeddings",
  "/api/embed": "embeddings",
  "/api/embeddings": "embeddings",
};

/** @param tracing undefined: traces are off */
export function traceRequests(
  app: FastifyInstance,
  { requestLog, tracing }: { requestLog: RequestLog; tracing: Tracing | undefined },
): void {
  if (tracing === undefined) return;
  const spans = new Map<RequestRecord, TraceSpan>();
  app.addHook("onRequest", async ({ record, headers, routeOptions }) => {
    if (record === undefined) return;
    const route = routeOptions.url;
    const attributes = {
      "http.request.method": record.method,
      "http.route": route,
      "url.path": record.path,
      "client.address": record.client.address,
      "user_agent.original": record.client.agent,
      "modelctl.request.id": record.id,
    };
    const name = route === undefined ? record.method : `${record.method} ${route}`;
    const span = tracing.begin({ name, attributes, startedAt: record.startedAt }, headers);
    spans.set(record, span);
    requestLog.update(record, { traceId: span.traceId });
  });
  const stopFollowing = requestLog.follow((record) => {
    if (record.state === "running") return;
    const span = spans.get(record);
    if (span === undefined) return;
    spans.delete(record);
    endSpan(span, record);
  });
  app.addHook("onClose", async () => void stopFollowing());
}

function endSpan(span: TraceSpan, record: RequestRecord): void {
  const { status = 0, totalMs = 0 } = record;
  const endedAt = record.startedAt + totalMs;
  addAnswer(span, record, endedAt);
  span.set({ "http.response.status_code": status });
  noteOutcome(span, record, status >= 500);
  span.end(endedAt);
}

/** Adds the answer's span, with a span for each phase that was measured. */
function addAnswer(span: TraceSpan, record: RequestRecord, endedAt: number): void {
  const operation = operations[record.path];
  if (operation === undefined || record.model === undefined) return;
  const { startedAt } = record;
  const attributes = answerAttributes(record, operation);
  const answer = span.begin({ name: `${operation} ${record.model}`, attributes, startedAt });
  for (const { name, from, to } of phasesOf(record, endedAt)) {
    answer.begin({ name, startedAt: from }).end(to);
  }
  noteOutcome(answer, record, record.error !== undefined);
  answer.end(endedAt);
}

/**
 * Where the time went, in milliseconds since 1970. The record has durations; they end or begin at the
 * first token.
 */
function phasesOf(
  { startedAt, firstTokenMs, loadMs = 0, queueMs = 0, promptMs = 0, completionMs }: RequestRecord,
  endedAt: number,
): { name: string; from: number; to: number }[] {
  const first = firstTokenMs === undefined ? endedAt : startedAt + firstTokenMs;
  const reading = Math.max(startedAt, first - promptMs);
  const waiting = Math.max(startedAt, reading - queueMs);
  const loading = Math.max(startedAt, waiting - loadMs);
  return [
    { name: "load", from: loading, to: waiting },
    { name: "queue", from: waiting, to: reading },
    { name: "prompt", from: reading, to: first },
    { name: "tokens", from: first, to: Math.min(endedAt, first + (completionMs ?? 0)) },
  ].filter(({ from, to }) => to > from);
}

/** @see https://github.com/open-telemetry/semantic-conventions-genai */
function answerAttributes(record: RequestRecord, operation: string): TraceAttributes {
  const { model, parameters = {}, finishReason, promptTokens, completionTokens } = record;
  const number = (name: string): number | undefined => {
    const value = parameters[name];
    return typeof value === "number" ? value : undefined;
  };
  const seconds = record.firstTokenMs === undefined ? undefined : record.firstTokenMs / 1000;
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": "modelctl",
    "gen_ai.request.model": model,
    "gen_ai.response.model": model,
    "gen_ai.request.stream": record.stream,
    "gen_ai.request.max_tokens": number("num_predict"),
    "gen_ai.request.temperature": number("temperature"),
    "gen_ai.request.top_p": number("top_p"),
    "gen_ai.request.top_k": number("top_k"),
    "gen_ai.request.seed": number("seed"),
    "gen_ai.request.frequency_penalty": number("frequency_penalty"),
    "gen_ai.request.presence_penalty": number("presence_penalty"),
    "gen_ai.response.finish_reasons": finishReason === undefined ? undefined : [finishReason],
    "gen_ai.response.time_to_first_chunk": seconds,
    "gen_ai.usage.input_tokens": promptTokens,
    "gen_ai.usage.cache_read.input_tokens": record.cachedTokens,
    "gen_ai.usage.output_tokens": completionTokens,
    "modelctl.slot": record.slot,
    "modelctl.cache.source": record.cachedFrom,
  };
}

function noteOutcome(
  span: TraceSpan,
  { error, cancelled }: RequestRecord,
  hasFailed: boolean,
): void {
  // The error's sentence may quote the request.
  span.set({ "error.type": error?.code, "modelctl.cancelled_by": cancelled?.by });
  if (hasFailed) span.fail();
}
