// GET /v1/models and /v1/models/{id}
import type { FastifyInstance } from "fastify";
import type { ModelSummary } from "../../../store/library/model-list.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { shareCalls } from "../../share-call.ts";

export function registerModels(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, scheduler } = dependencies;
  // Some clients poll every second, and each call reads the whole store.
  const listText = shareCalls(async () => {
    const { models } = await catalog.listModels();
    const data = models.map((model) => describe(model.name, model));
    return JSON.stringify({ object: "list", data });
  });
  app.get("/models", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(await listText()),
  );
  // Names may contain slashes, plain or as %2F.
  app.get<{ Params: { "*": string } }>("/models/*", async (request) => {
    const id = request.params["*"];
    const model = await catalog.resolve(id, fileAccess(request, dependencies));
    const card = model.card ?? baseModelCard(model);
    const loaded = await scheduler.loadedFor(model);
    return {
      ...describe(id, { ...model, card }),
      // Ours: the same files may be loaded under another name.
      ...(loaded !== undefined && { loaded_as: loaded.model.name }),
    };
  });
}

/** Shown by chats before the first question. */
function baseModelCard(model: ResolvedModel): string | undefined {
  const { template, facts } = model;
  const hasTemplate = (template ?? "").trim() !== "" || facts.chatTemplate !== undefined;
  if (hasTemplate || facts.isEmbeddingOnly) return undefined;
  return "A base model without a chat template: it continues text, and may answer oddly in a chat.";
}

type DescribedModel = Pick<ModelSummary, "name" | "origin" | "modifiedAt" | "card" | "examples">;

/** @param id as named by the client */
function describe(id: string, { name, origin, modifiedAt, card, examples }: DescribedModel) {
  return {
    id,
    object: "model",
    created: Math.floor(modifiedAt.getTime() / 1000),
    owned_by: (origin === "file" ? undefined : name.split("/").at(-2)) ?? "library",
    // Ours: capabilities of the model.
    ...(card !== undefined && { description: card }),
    ...(examples.length > 0 && { examples }),
  };
}
