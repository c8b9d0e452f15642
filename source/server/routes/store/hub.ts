// GET /api/hub/search, /api/hub/recommended, /api/hub/repository, /api/hub/card: models on the hub.
import type { FastifyInstance, FastifyReply } from "fastify";
import { type Static, Type } from "typebox";
import { quoteShort } from "../../../base/display-text.ts";
import { findRepository } from "../../../store/hub/fetch-model.ts";
import { readModelCard } from "../../../store/hub/read-card.ts";
import { type HubModel, searchModels, searchOrders } from "../../../store/hub/search-models.ts";
import { listQuantizations } from "../../../store/hub/selection/list-quantizations.ts";
import { hubHosts, parseRepository } from "../../../store/model-reference.ts";
import type { RecommendedModel, ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { clientSignal } from "../../run-request.ts";

const SearchQuery = Type.Object({
  /** Words of owner or name; empty matches all models. */
  query: Type.Optional(Type.String()),
  order: Type.Optional(Type.String()),
  /** 1 to 100. */
  limit: Type.Optional(Type.String()),
});
type SearchQuery = Static<typeof SearchQuery>;

const RepositoryQuery = Type.Object({
  /** `owner/name`, with or without the hub's host. */
  name: Type.Optional(Type.String()),
});
type RepositoryQuery = Static<typeof RepositoryQuery>;

const usualLimit = 50;
const largestLimit = 100;

export function registerHub(
  app: FastifyInstance,
  { library, recommend }: ServerDependencies,
): void {
  const { hub, store } = library;
  // The first host is used to display names.
  const [host = ""] = hubHosts(store.folder.hubPrefixes);
  app.get<{ Querystring: SearchQuery }>(
    "/hub/search",
    { schema: { querystring: SearchQuery } },
    async ({ query }, reply) => {
      const search = {
        text: query.query?.trim() ?? "",
        order: readOrder(query.order),
        limit: readLimit(query.limit),
      };
      const models = await searchModels(search, await workOf(reply));
      return { models: models.map((model) => modelRecord(model, host)) };
    },
  );
  app.get("/hub/recommended", async (_request, reply) => {
    const { models, notes } = await recommend(clientSignal(reply));
    return { models: models.map(recommendedRecord), notes };
  });
  app.get<{ Querystring: RepositoryQuery }>(
    "/hub/repository",
    { schema: { querystring: RepositoryQuery } },
    async ({ query }, reply) => {
      const { owner, repo } = readRepositoryName(query.name ?? "");
      const repository = await findRepository({ owner, repo }, await workOf(reply));
      return {
        name: `${host}/${repository.repo}`,
        commit: repository.commit,
        quantizations: listQuantizations(repository).map((choice) => ({
          selector: choice.selector,
          size: choice.totalBytes,
          files: choice.fileCount,
          has_projector: choice.hasProjector,
          is_default: choice.isDefault,
        })),
      };
    },
  );
  app.get<{ Querystring: RepositoryQuery }>(
    "/hub/card",
    { schema: { querystring: RepositoryQuery } },
    async ({ query }, reply) => {
      const { owner, repo } = readRepositoryName(query.name ?? "");
      const text = await readModelCard(`${owner}/${repo}`, await workOf(reply));
      return { name: `${host}/${owner}/${repo}`, text };
    },
  );

  async function workOf(reply: FastifyReply) {
    return { settings: await hub(), signal: clientSignal(reply) };
  }

  function readRepositoryName(text: string): { owner: string; repo: string } {
    const name = parseRepository(text, store.folder.hubPrefixes);
    if (name !== undefined) return { owner: name.namespace, repo: name.model };
    throw invalidField(
      "name",
      `'name' is ${quoteShort(text)}, but must be a repository such as owner/name.`,
    );
  }
}

function recommendedRecord(model: RecommendedModel) {
  return {
    name: model.name,
    purpose: model.purpose,
    size: model.sizeBytes,
    is_rough: model.isRough,
    // With a window of 8192 tokens.
    memory: Math.ceil(model.memoryBytes),
    // Tokens per second of one answer.
    speed: model.speed,
    disk_after: model.diskAfterBytes ?? null,
    why: model.why,
  };
}

function modelRecord(model: HubModel, host: string) {
  return {
    // The name that /api/pull takes.
    name: `${host}/${model.repo}`,
    repository: model.repo,
    downloads: model.downloads,
    likes: model.likes,
    modified_at: model.updatedAt,
    is_gated: model.isGated,
    parameter_count: model.parameterCount,
    architecture: model.architecture,
    context_length: model.contextLength,
    license: model.license,
  };
}

function readOrder(text: string | undefined) {
  if (text === undefined) return "downloads";
  const order = searchOrders.find((known) => known === text);
  if (order !== undefined) return order;
  throw invalidField(
    "order",
    `'order' is ${quoteShort(text)}, but must be one of ${searchOrders.join(", ")}.`,
  );
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= largestLimit) return limit;
  throw invalidField(
    "limit",
    `'limit' is ${quoteShort(text)}, but must be a number from 1 to ${largestLimit}.`,
  );
}
