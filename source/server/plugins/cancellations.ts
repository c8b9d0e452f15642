// Requests whose work can be ended by their id, as the request log names them.
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** What aborts a request's work, by the id of its record; only requests that have not ended. */
    cancellations: Map<string, AbortController>;
  }
}

/** To be called behind `recordRequests`: a request can be ended as soon as it has an id. */
export function trackCancellations(app: FastifyInstance): void {
  app.decorate("cancellations", new Map());
  app.addHook("onRequest", async ({ method, record }, { raw }) => {
    if (record === undefined || method !== "POST") return;
    app.cancellations.set(record.id, new AbortController());
    raw.once("close", () => app.cancellations.delete(record.id));
  });
}
