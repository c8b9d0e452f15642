// Memory needs of a model, as terms from which a client computes any window and cache type.
import { type FreeRoom, roomForWindows } from "../../../engine/scheduler/card-plan.ts";
import { type EngineSettings, planLoad } from "../../../engine/scheduler/load-plan.ts";
import { memoryTerms } from "../../../engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../../../store/library/resolved-model.ts";

/**
 * The sum is `weights_bytes + compute_bytes + cache_bytes_per_token[type] * window * slots`,
 * estimated from the file's metadata. For another window there are as many slots as fit in
 * `window_room_bytes`, from one to the server's setting.
 *
 * @param free free memory, on which windows and slots may depend
 */
export function memoryRecord(
  model: ResolvedModel,
  engine: EngineSettings,
  free: FreeRoom,
): Record<string, unknown> {
  const plan = planLoad(model, model.parameters, engine, free);
  const { weightsBytes, computeBytes, cacheBytesPerToken } = memoryTerms(model, plan);
  // Counted like the plan: with the buffers of all possible slots.
  const most = memoryTerms(model, { ...plan, slots: engine.slots });
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
    window_room_bytes: roomForWindows(model, plan, free) - most.computeBytes,
    /** Default window when a request names none. */
    context_length: plan.contextLength,
    trained_context_length: model.facts.trainedContextLength,
  };
}
