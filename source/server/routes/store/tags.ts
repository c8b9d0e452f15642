// GET /api/tags: the models there are, newest first.
import type { FastifyInstance } from "fastify";
import { formatLocalTime } from "../../../base/local-time.ts";
import type { Capability } from "../../../prompt/capabilities.ts";
import type { ModelSummary } from "../../../store/library/model-list.ts";
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { readTemplate } from "../../description/template-in-force.ts";
import { shareCalls } from "../../share-call.ts";
import { detailsRecord } from "../native/details.ts";

export function registerTags(app: FastifyInstance, { catalog, log }: ServerDependencies): void {
  const capabilities = new KnownCapabilities(catalog);
  const problemsTold = new Set<string>();
  // Some clients ask every second, and the whole store is read for it.
  const listText = shareCalls(async () => {
    const { models, problems } = await catalog.listModels();
    for (const { path, message } of problems) {
      if (!problemsTold.has(path)) log(`a model cannot be listed: ${message}`);
      problemsTold.add(path);
    }
    const records: unknown[] = [];
    // One after the other: each may open a file, and most are known.
    for (const model of models) records.push(toRecord(model, await capabilities.of(model)));
    return JSON.stringify({ models: records });
  });
  app.get("/api/tags", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(await listText()),
  );
}

function toRecord(model: ModelSummary, capabilities: readonly Capability[] | undefined) {
  return {
    name: model.name,
    model: model.name,
    modified_at: formatLocalTime(model.modifiedAt),
    size: model.sizeBytes,
    digest: model.digest,
    details: detailsRecord(model.details),
    capabilities,
    // Ours: whose store it is in.
    store: model.store ?? model.origin,
  };
}

const mostKept = 4096;

/** What models can do, which only their files tell: read once for each digest. */
class KnownCapabilities {
  readonly #catalog: ModelCatalog;
  readonly #known = new Map<string, Promise<readonly Capability[] | undefined>>();

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  async of({ name, digest }: ModelSummary): Promise<readonly Capability[] | undefined> {
    const known = this.#known.get(digest);
    if (known !== undefined) return await known;
    if (this.#known.size >= mostKept) this.#known.clear();
    const reading = this.#read(name);
    this.#known.set(digest, reading);
    const capabilities = await reading;
    // A file that was missing may be put back.
    if (capabilities === undefined) this.#known.delete(digest);
    return capabilities;
  }

  async #read(name: string): Promise<readonly Capability[] | undefined> {
    try {
      return readTemplate(await this.#catalog.resolve(name)).capabilities;
    } catch {
      return undefined; // whoever uses the model is told what is wrong with it
    }
  }
}
