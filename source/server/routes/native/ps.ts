// GET /api/ps: models that are loaded or loading, and their users.
import type { FastifyInstance } from "fastify";
import { formatLocalTime } from "../../../base/formats.ts";
import type { LoadedModel } from "../../../engine/scheduler/loaded-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { dropStaleNames } from "../../loaded-names.ts";
import { detailsRecord } from "./records.ts";

export function registerPs(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { scheduler } = dependencies;
  app.get("/ps", async () => {
    for (const loaded of scheduler.models) await dropStaleNames(dependencies, loaded);
    const now = Date.now();
    const leaving = scheduler.models.map((loaded) => ({ loaded, at: expiryOf(loaded, now) }));
    // Models that stay longest come first, as in Ollama.
    leaving.sort((one, other) => other.at - one.at);
    return { models: leaving.map(({ loaded, at }) => toProcess(loaded, at)) };
  });
}

/** Expiry of a model that is never unloaded, as in Ollama. */
const pinnedMs = 290 * 365 * 86_400_000;

/** The keep-alive time has not begun while a model is in use. */
function expiryOf({ expiresAt, keepAliveMs }: LoadedModel, now: number): number {
  return expiresAt ?? now + Math.min(keepAliveMs, pinnedMs);
}

function toProcess(loaded: LoadedModel, expiresAtMs: number): Record<string, unknown> {
  const { model, facts, settings } = loaded;
  const vram = facts?.memory.vramBytes ?? 0;
  return {
    name: model.name,
    model: model.name,
    size: facts === undefined ? model.facts.fileSize : facts.memory.ramBytes + vram,
    digest: model.digest ?? "",
    details: detailsRecord(model.details),
    expires_at: formatLocalTime(new Date(expiresAtMs)),
    size_vram: vram,
    context_length: settings.contextLength,
    // Ours: all names of the model, and its activity.
    names: [...loaded.names],
    state: loaded.state,
    load_progress: loaded.fraction,
    requests: requestCounts(loaded),
    slots: settings.slots,
    window_limit: settings.windowLimit,
    load_options: loadOptions(loaded),
    draft: facts?.draft && { name: facts.draft.name, size: facts.draft.bytes },
    warnings: facts?.warnings ?? [],
    device: facts?.device.kind,
    process_id: facts?.processId,
    load_phases_ms: facts?.loadPhases,
  };
}

/** Each slot answers one request; the others wait, and all of them while the model loads. */
function requestCounts({ users, facts, settings }: LoadedModel) {
  const running = facts === undefined ? 0 : Math.min(users, settings.slots);
  return { running, waiting: users - running };
}

function placementOptions(placement: LoadedModel["settings"]["placement"]) {
  const { cpuExpertLayers, splitMode, mainGpu, tensorSplit } = placement;
  return {
    ...(cpuExpertLayers !== undefined && { n_cpu_moe: cpuExpertLayers }),
    ...(splitMode !== undefined && { split_mode: splitMode }),
    ...(mainGpu !== undefined && { main_gpu: mainGpu }),
    ...(tensorSplit !== undefined && { tensor_split: tensorSplit.join(",") }),
  };
}

/** Load options: a request with other options may cause a reload. */
function loadOptions({ settings }: LoadedModel) {
  const most = settings.draft?.most ?? settings.mtp?.most;
  return {
    num_ctx: settings.contextLength,
    num_batch: settings.batchSize,
    num_gpu: settings.gpuLayers ?? -1,
    num_thread: settings.threads ?? 0,
    use_mmap: settings.useMmap,
    ...placementOptions(settings.placement),
    ...(settings.mtp !== undefined && { spec_type: "draft-mtp" }),
    ...(most !== undefined && { draft_num_predict: most }),
    ...(settings.unifiedCache && { kv_unified: true }),
    kv_cache_type: settings.kvCacheType,
    flash_attention: settings.flashAttention,
    ...(settings.slidingWindow > 0 && { swa_full: settings.keepsWholeWindow }),
  };
}
