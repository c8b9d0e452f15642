// GET /api/tags: models in the store, newest first.
import type { FastifyInstance } from "fastify";
import { formatLocalTime } from "../../../base/formats.ts";
import type { RunnerFacts } from "../../../engine/generation.ts";
import type { FreeRoom } from "../../../engine/scheduler/card-plan.ts";
import { type EngineSettings, planLoad } from "../../../engine/scheduler/load-plan.ts";
import { memoryTerms } from "../../../engine/scheduler/memory-plan.ts";
import type { Scheduler } from "../../../engine/scheduler/scheduler.ts";
import { stepBytes, windowRoom } from "../../../engine/scheduler/window-plan.ts";
import type { Capability } from "../../../prompt/choose-template.ts";
import type { ModelSummary } from "../../../store/library/model-list.ts";
import type { ResolvedModel } from "../../../store/library/resolved-model.ts";
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { readTemplate } from "../../description/template-in-force.ts";
import { shareCalls } from "../../share-call.ts";
import { detailsRecord } from "../native/records.ts";

export function registerTags(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, scheduler, speeds, log } = dependencies;
  const readingOf = readingsIn(catalog);
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
      const reading = await readingOf(model);
      records.push({
        ...toRecord(model),
        ...(reading !== undefined && {
          capabilities: reading.capabilities,
          // Ours: memory it needs.
          memory: memoryRecord(
            reading.model,
            scheduler.engine,
            free,
            heldBy(model.name, scheduler),
          ),
          // Ours: tokens per second of one answer.
          speed: await speeds.speedOf(reading.model),
        }),
      });
    }
    return JSON.stringify({ models: records });
  });
  app.get("/tags", async (_request, reply) =>
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
    // Ours.
    store: model.store ?? model.origin,
  };
}

const maxKept = 4096;

/** Details that only the model's files contain. */
interface Reading {
  model: ResolvedModel;
  capabilities: readonly Capability[];
}

/** Returns a function that reads the files of each digest once. */
function readingsIn(catalog: ModelCatalog) {
  const known = new Map<string, Reading>();
  return async ({ name, digest }: ModelSummary): Promise<Reading | undefined> => {
    const found = known.get(digest);
    if (found !== undefined) return found;
    try {
      const model = await catalog.resolve(name);
      const reading = { model, capabilities: readTemplate(model).capabilities };
      if (known.size >= maxKept) known.clear();
      known.set(digest, reading);
      return reading;
    } catch {
      return undefined; // whoever uses the model gets the error
    }
  };
}

/** Returns the memory that a loaded model takes. */
function heldBy(name: string, { models }: Pick<Scheduler, "models">): RunnerFacts["memory"] {
  const loaded = models.find(({ names }) => names.has(name));
  return loaded?.facts?.memory ?? { ramBytes: 0, vramBytes: 0 };
}

/**
 * Memory needs of a model, as terms from which a client computes any window and cache type: their sum
 * is `weights_bytes + compute_bytes + cache_bytes_per_token[type] * window * slots`,
 * estimated from the file's metadata. For another window there are as many slots as fit in
 * `window_room_bytes`, from one to the server's setting.
 *
 * @param free free memory, on which windows and slots may depend
 * @param held memory of the model itself, which a load would free first
 */
function memoryRecord(
  model: ResolvedModel,
  engine: EngineSettings,
  free: FreeRoom,
  held: RunnerFacts["memory"],
): Record<string, unknown> {
  const plan = planLoad(model, model.parameters, engine, {
    memoryBytes: free.memoryBytes + held.ramBytes,
    cardBytes: free.cardBytes === undefined ? undefined : free.cardBytes + held.vramBytes,
  });
  const { weightsBytes, computeBytes, cacheBytesPerToken } = memoryTerms(model, plan);
  const room = windowRoom(model, plan, free);
  // Counted like the plan: with the buffers of all possible slots.
  const steps = stepBytes(model, { ...plan, slots: engine.slots }, room);
  return {
    weights_bytes: weightsBytes,
    compute_bytes: computeBytes,
    cache_bytes_per_token: cacheBytesPerToken,
    /** Default cache type of its window. */
    cache_type: plan.kvCacheType,
    /** True if layers with a sliding window keep all tokens. */
    ...(plan.slidingWindow > 0 && { swa_full: plan.keepsWholeWindow }),
    layers: model.facts.layers,
    /** Windows that will fit. */
    slots: plan.slots,
    window_room_bytes: room.leftBytes - steps,
    /** Default window when a request names none. */
    context_length: plan.contextLength,
    /** Reason why it is not longer. */
    window_limit: plan.windowLimit,
    trained_context_length: model.facts.trainedContextLength,
  };
}
