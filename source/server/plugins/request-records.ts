// Writes the request log: one record per request, opened when it comes in and closed with its
// reply.
import type { FastifyInstance } from "fastify";
import type { RequestLog } from "../../request-log/request-log.ts";
import type { RequestRecord } from "../../request-log/request-record.ts";

declare module "fastify" {
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

export function recordRequests(app: FastifyInstance, requestLog: RequestLog): void {
  app.decorateRequest("record", undefined);
  app.decorateRequest("failure", undefined);
  app.addHook("onRequest", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    if (unrecorded.has(path) || path.startsWith("/api/requests/")) {
      reply.header("x-request-id", requestLog.nextId());
      return;
    }
    request.record = requestLog.open({
      startedAt: Date.now(),
      method: request.method,
      path,
      client: { address: request.ip, agent: request.headers["user-agent"] },
    });
    // `POST /api/cancel` takes this id.
    reply.header("x-request-id", request.record.id);
    // Fastify's onResponse does not run when a client leaves early.
    const { record } = request;
    reply.raw.once("close", () => {
      if (record !== undefined && !reply.raw.writableFinished) {
        requestLog.close(record, 499, Date.now());
      }
    });
  });
  app.addHook("onResponse", async (request, reply) => {
    const { record, failure } = request;
    if (record === undefined) return;
    if (failure !== undefined) requestLog.update(record, { error: failure });
    requestLog.close(record, reply.statusCode, Date.now());
  });
}
