// Finishes running requests while the server stops, and refuses new ones.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../../engine/errors.ts";

export function refuseWhileStopping(app: FastifyInstance, stopping: AbortSignal): void {
  app.addHook("onRequest", async (_request, reply) => {
    if (!stopping.aborted) return;
    reply.header("connection", "close");
    throw new ProductError(engineErrors.shuttingDown, {
      message: "The server is shutting down and accepts no new requests.",
      hint: "Start it again with modelctl serve.",
      retryAfterSeconds: 5,
    });
  });
}
