// GET / and /api/version: liveness.
import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../dependencies.ts";

export function registerStatus(app: FastifyInstance, dependencies: ServerDependencies): void {
  // Clients of Ollama look for this text.
  app.get("/", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("Ollama is running"),
  );
  app.get("/api/version", async () => {
    await dependencies.ready;
    return { version: dependencies.version, server: "modelctl" };
  });
}
