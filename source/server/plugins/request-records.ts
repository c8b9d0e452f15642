// Counts requests in the metrics, and writes the request log: one record per request, opened when it
// comes in and closed with its reply. A request can be cancelled by the id of its record.
import type { FastifyInstance } from "fastify";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import { cancelledStatus } from "../../request-log/request-log.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";
import type { ServerDependencies } from "../dependencies.ts";

/** Ways to end a running request, or its thinking. */
export interface RunningRequest {
  cancel: AbortController;
  answerNow: AbortController;
}

declare module "fastify" {
  interface FastifyInstance {
    /** Requests that have not ended, by their id. */
    running: Map<string, RunningRequest>;
  }
  interface FastifyRequest {
    /** Its record in the request log; probes have none. */
    record: RequestRecord | undefined;
    /** Error of a failed request. */
    failure: { code: string; message: string } | undefined;
  }
}

/** Some clients probe every second, which would push everything else out of the log. */
const unrecorded = new Set([
  "/",
  "/health",
  "/api/version",
  "/api/ps",
  "/api/requests",
  "/api/metrics",
  "/api/capacity",
  "/metrics",
  "/openapi.json",
]);

/** Also records request bodies while recording is on. */
export function recordRequests(
  app: FastifyInstance,
  { requestLog, transcripts }: Pick<ServerDependencies, "requestLog" | "transcripts">,
): void {
  app.decorate("running", new Map());
  app.decorateRequest("record", undefined);
  app.decorateRequest("failure", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    if (unrecorded.has(path) || path.startsWith("/api/requests/")) {
      reply.header("x-request-id", requestLog.nextId());
      return;
    }
    const client = { address: request.ip, agent: request.headers["user-agent"] };
    const { method } = request;
    const record = requestLog.open({ startedAt: Date.now(), method, path, client });
    request.record = record;
    // `POST /api/cancel` and `POST /api/answer-now` take this id.
    reply.header("x-request-id", record.id);
    if (method === "POST") {
      const running = { cancel: new AbortController(), answerNow: new AbortController() };
      app.running.set(record.id, running);
    }
    // Fastify's onResponse does not run when a client leaves early.
    reply.raw.once("close", () => {
      app.running.delete(record.id);
      if (reply.raw.writableFinished) return;
      requestLog.cancel(record, { by: "client", ...record.client });
      requestLog.close(record, cancelledStatus, Date.now());
    });
  });
  app.addHook("preHandler", async ({ record, body }) => {
    if (!transcripts.isRecording || record === undefined) return;
    if (body === null || typeof body !== "object") return;
    transcripts.addBody(record.id, JSON.stringify(body));
  });
  app.addHook("onResponse", async (request, reply) => {
    const { record, failure } = request;
    if (record === undefined) return;
    // A cancelled request's error says no more than its state.
    if (failure !== undefined && record.cancelled === undefined)
      requestLog.update(record, { error: failure });
    requestLog.close(record, reply.statusCode, Date.now());
  });
}

/** Routes that read prompts and generate no answer. */
const embeddingRoutes = new Set(["/api/embed", "/api/embeddings", "/v1/embeddings", "/v1/rerank"]);

/** Counts refused and broken requests too. */
export function countRequests(app: FastifyInstance, metrics: ServerMetrics): void {
  app.addHook("onRequest", async (request, reply) => {
    metrics.requestBegan();
    const { raw } = reply;
    raw.once("close", () => {
      const route = request.routeOptions.url ?? "unknown";
      const isWhole = raw.writableFinished && request.record?.cancelled === undefined;
      const status = isWhole ? raw.statusCode : cancelledStatus;
      metrics.requestEnded(request.method, route, status, reply.elapsedTime);
      const { model, promptTokens } = request.record ?? {};
      if (model !== undefined && promptTokens !== undefined && embeddingRoutes.has(route)) {
        metrics.promptRead(model, promptTokens);
      }
    });
  });
}
