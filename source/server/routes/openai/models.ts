// GET /v1/models and /v1/models/{id}
import { stat } from "node:fs/promises";
import type { FastifyInstance } from "fastify";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";

export function registerModels(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog } = dependencies;
  app.get("/v1/models", async () => ({
    object: "list",
    data: await Promise.all(catalog.list().map((model) => describe(model.name, model.file, model))),
  }));
  // Names may hold slashes, as they are and as %2F.
  app.get<{ Params: { "*": string } }>("/v1/models/*", async (request) => {
    const id = request.params["*"];
    const model = await catalog.resolve(id, fileAccess(request, dependencies));
    return await describe(id, model.facts.path, model);
  });
}

async function describe(
  id: string,
  file: string,
  { card, examples }: { card: string | undefined; examples: readonly string[] },
) {
  const { mtimeMs } = await stat(file);
  return {
    id,
    object: "model",
    created: Math.floor(mtimeMs / 1000),
    owned_by: "library",
    // Ours: what the model can do.
    ...(card !== undefined && { description: card }),
    ...(examples.length > 0 && { examples }),
  };
}
