// GET /, /health and /api/version: liveness and readiness.
import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.ts";

export function registerStatus(app: FastifyInstance, dependencies: ServerDependencies): void {
  // Clients of Ollama look for this text.
  app.get("/", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("Ollama is running"),
  );
  // As llama-server answers it.
  app.get("/health", async (_request, reply) => {
    if (!dependencies.isLoading()) return { status: "ok" };
    return reply.code(503).send({ status: "loading model" });
  });
  app.get("/api/version", async () => {
    await dependencies.ready;
    return { version: dependencies.version, server: "modelctl" };
  });
}
