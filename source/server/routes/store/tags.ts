// GET /api/tags: models in the store, newest first.
import type { FastifyInstance } from "fastify";
import { formatLocalTime } from "../../../base/formats.ts";
import type { Capability } from "../../../prompt/capabilities.ts";
import type { ModelSummary } from "../../../store/library/model-list.ts";
import type { ResolvedModel } from "../../../store/library/resolved-model.ts";
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { readTemplate } from "../../description/template-in-force.ts";
import { shareCalls } from "../../share-call.ts";
import { detailsRecord } from "../native/details.ts";
import { memoryRecord } from "./memory.ts";

export function registerTags(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, scheduler, log } = dependencies;
  const readings = new KnownReadings(catalog);
  const reportedProblems = new Set<string>();
  // Some clients poll every second, and each call reads the whole store.
  const listText = shareCalls(async () => {
    const { models, problems } = await catalog.listModels();
    for (const { path, message } of problems) {
      if (!reportedProblems.has(path)) log(`model not listed: ${message}`);
      reportedProblems.add(path);
    }
    const records: unknown[] = [];
    const free = await scheduler.freeRoom();
    // Runs in sequence: each may open a file, and most are cached.
    for (const model of models) {
      const reading = await readings.of(model);
      records.push({
        ...toRecord(model),
        ...(reading !== undefined && {
          capabilities: reading.capabilities,
          // Ours: memory it needs.
          memory: memoryRecord(reading.model, scheduler.engine, free),
        }),
      });
    }
    return JSON.stringify({ models: records });
  });
  app.get("/api/tags", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send(await listText()),
  );
}

function toRecord(model: ModelSummary) {
  return {
    name: model.name,
    model: model.name,
    modified_at: formatLocalTime(model.modifiedAt),
    size: model.sizeBytes,
    digest: model.digest,
    details: detailsRecord(model.details),
    // Ours: the store it is in.
    store: model.store ?? model.origin,
  };
}

const mostKept = 4096;

/** Details that only the model's files contain. */
interface Reading {
  model: ResolvedModel;
  capabilities: readonly Capability[];
}

/** Reads files once per digest. */
class KnownReadings {
  readonly #catalog: ModelCatalog;
  readonly #known = new Map<string, Promise<Reading | undefined>>();

  constructor(catalog: ModelCatalog) {
    this.#catalog = catalog;
  }

  async of({ name, digest }: ModelSummary): Promise<Reading | undefined> {
    const known = this.#known.get(digest);
    if (known !== undefined) return await known;
    if (this.#known.size >= mostKept) this.#known.clear();
    const pending = this.#read(name);
    this.#known.set(digest, pending);
    const reading = await pending;
    // A missing file may come back.
    if (reading === undefined) this.#known.delete(digest);
    return reading;
  }

  async #read(name: string): Promise<Reading | undefined> {
    try {
      const model = await this.#catalog.resolve(name);
      return { model, capabilities: readTemplate(model).capabilities };
    } catch {
      return undefined; // users of the model get the error
    }
  }
}
