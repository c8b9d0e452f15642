// Cancellation of running requests by their id in the request log.
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** Abort controllers of running requests, by record id. */
    cancellations: Map<string, AbortController>;
  }
}

/** Call after `recordRequests`: a request can be cancelled as soon as it has an id. */
export function trackCancellations(app: FastifyInstance): void {
  app.decorate("cancellations", new Map());
  app.addHook("onRequest", async ({ method, record }, { raw }) => {
    if (record === undefined || method !== "POST") return;
    app.cancellations.set(record.id, new AbortController());
    raw.once("close", () => app.cancellations.delete(record.id));
  });
}
