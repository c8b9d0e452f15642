// Traces of the gateway: a span for each request, the parent of its replica's spans.
import type { TraceSpan, Tracing } from "../../tracing/tracing.ts";
import type { ExchangeRecord, RequestFacts } from "./exchange-record.ts";
import { withoutQuery } from "./request-path.ts";

/** @param startedAt milliseconds since 1970 */
export function beginTrace(
  tracing: Tracing,
  { id, request, path, origin }: RequestFacts,
  startedAt: number,
): TraceSpan {
  const method = request.method ?? "";
  // Strangers ask for paths without a known app. Each would be another name.
  const name = path === undefined ? method : `${method} /${path.organisation}/${path.app}`;
  const attributes = {
    "http.request.method": method,
    "url.path": path === undefined ? undefined : withoutQuery(path.rest),
    "client.address": origin.address,
    "deployctl.request.id": id,
  };
  return tracing.begin({ name, attributes, startedAt }, request.headers);
}

/** Adds what the record knows: the wait for a replica, the replica's own time, and the outcome. */
export function endTrace(span: TraceSpan, record: ExchangeRecord): void {
  const { startedAt, totalMs, queueMs, replica, status, tokens } = record;
  const endedAt = startedAt + totalMs;
  if (replica !== undefined) {
    const grantedAt = startedAt + queueMs;
    const wait = record.isColdStart ? "cold start" : "queue";
    if (queueMs >= 1) span.begin({ name: wait, startedAt }).end(grantedAt);
    const attributes = { "deployctl.replica": replica, "deployctl.revision": record.revision };
    span.begin({ name: "replica", attributes, startedAt: grantedAt }).end(endedAt);
  }
  span.set({
    "http.response.status_code": status,
    "error.type": record.errorType,
    "deployctl.organisation": record.organisation,
    "deployctl.app": record.app,
    "deployctl.cold_start": record.isColdStart,
    "gen_ai.usage.input_tokens": tokens?.prompt,
    "gen_ai.usage.cache_read.input_tokens": tokens?.cached,
    "gen_ai.usage.output_tokens": tokens?.completion,
  });
  if (status >= 500 || record.errorType === "runner_error") span.fail();
  span.end(endedAt);
}
