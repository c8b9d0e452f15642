// GET /, /api/version, /api/ps, /api/requests: is it there, what is loaded, what was asked.
import type { FastifyInstance } from "fastify";
import type { LoadedModel } from "../../../engine/scheduler/loaded-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";

export function registerStatus(app: FastifyInstance, dependencies: ServerDependencies): void {
  // Clients of Ollama look for this very text.
  app.get("/", async (_request, reply) =>
    reply.type("text/plain; charset=utf-8").send("Ollama is running"),
  );
  app.get("/api/version", async () => {
    await dependencies.ready;
    return { version: dependencies.version, server: "modelctl" };
  });
  app.get("/api/ps", async () => ({ models: dependencies.scheduler.models.map(toProcess) }));
  app.get("/api/requests", async () => ({ requests: dependencies.requestLog.records }));
}

// "For good" is a time some 290 years ahead, as Ollama gives it.
const forGoodMs = 290 * 365 * 86_400_000;

function toProcess(loaded: LoadedModel): Record<string, unknown> {
  const { model, facts, settings } = loaded;
  const expires = loaded.expiresAt ?? Date.now() + Math.min(loaded.keepAliveMs, forGoodMs);
  const vram = facts?.memory.vramBytes ?? 0;
  return {
    name: model.name,
    model: model.name,
    size: facts === undefined ? model.facts.fileSize : facts.memory.ramBytes + vram,
    size_vram: vram,
    details: { format: "gguf", family: model.facts.architecture },
    expires_at: new Date(expires).toISOString(),
    context_length: settings.contextLength,
    // Ours: what is going on.
    state: facts === undefined ? "loading" : loaded.isBusy ? "busy" : "idle",
    load_progress: loaded.fraction,
    slots: settings.slots,
    device: facts?.device.kind,
    process_id: facts?.processId,
    load_phases_ms: facts?.loadPhases,
  };
}
