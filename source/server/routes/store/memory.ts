// What loading a model takes, as terms from which a client works out any window and cache type.
import { type FreeRoom, roomForWindows } from "../../../engine/scheduler/card-plan.ts";
import { type EngineSettings, planLoad } from "../../../engine/scheduler/load-plan.ts";
import { memoryTerms } from "../../../engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../../../store/library/resolved-model.ts";

/**
 * The whole is `weights_bytes + compute_bytes + cache_bytes_per_token[type] * window * slots`; an
 * estimate from the file's own metadata. Of a window that is longer or shorter there are as many slots
 * as find room in `window_room_bytes`, from one to those that the server is set to.
 *
 * @param free on it windows and slots may depend
 */
export function memoryRecord(
  model: ResolvedModel,
  engine: EngineSettings,
  free: FreeRoom,
): Record<string, unknown> {
  const plan = planLoad(model, model.parameters, engine, free);
  const { weightsBytes, computeBytes, cacheBytesPerToken } = memoryTerms(model, plan);
  // As the plan counts it: with the buffers of all slots that there may be.
  const most = memoryTerms(model, { ...plan, slots: engine.slots });
  return {
    weights_bytes: weightsBytes,
    compute_bytes: computeBytes,
    cache_bytes_per_token: cacheBytesPerToken,
    /** What its window is kept in where no request says something else. */
    cache_type: plan.kvCacheType,
    /** Whether layers with a sliding window keep all tokens all the same. */
    ...(plan.slidingWindow > 0 && { swa_full: plan.keepsWholeWindow }),
    layers: model.facts.layers,
    /** Windows that there will be room for. */
    slots: plan.slots,
    window_room_bytes: roomForWindows(model, plan, free) - most.computeBytes,
    /** The window that it is loaded with where no request names one. */
    context_length: plan.contextLength,
    trained_context_length: model.facts.trainedContextLength,
  };
}
