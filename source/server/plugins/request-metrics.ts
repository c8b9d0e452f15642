// Counts every request in the metrics, including refused and broken ones.
import type { FastifyInstance } from "fastify";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";

/** Routes that read prompts and generate no answer. */
const embeddingRoutes = new Set(["/api/embed", "/api/embeddings", "/v1/embeddings"]);

export function countRequests(app: FastifyInstance, metrics: ServerMetrics): void {
  app.addHook("onRequest", async (request, reply) => {
    metrics.requestBegan();
    const { raw } = reply;
    raw.once("close", () => {
      const route = request.routeOptions.url ?? "unknown";
      // The log's status for clients that have left.
      const status = raw.writableFinished ? raw.statusCode : 499;
      metrics.requestEnded(request.method, route, status, reply.elapsedTime);
      const { model, promptTokens } = request.record ?? {};
      if (model !== undefined && promptTokens !== undefined && embeddingRoutes.has(route)) {
        metrics.promptRead(model, promptTokens);
      }
    });
  });
}
