// Requests whose work can be ended by their id, as the request log names them.
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** What aborts a request's work, by the id of its record; only requests that have not ended. */
    cancellations: Map<string, AbortController>;
  }
}

export function keepCancellations(app: FastifyInstance): void {
  app.decorate("cancellations", new Map());
}
