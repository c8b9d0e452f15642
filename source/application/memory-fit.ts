// Whether a model fits into memory, told before it is loaded.
import type { Settings } from "../configuration/settings.ts";
import { planLoad } from "../engine/scheduler/load-plan.ts";
import { fitSentence, freeMemoryBytes, memoryNeed } from "../engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import { engineSettings } from "./engine-settings.ts";

/** @param freeBytes memory that is free now */
export function fitOf(
  model: ResolvedModel,
  settings: Settings,
  freeBytes = freeMemoryBytes(),
): { fits: boolean; sentence: string } {
  const plan = planLoad(model, model.parameters, engineSettings(settings), {
    memoryBytes: freeBytes,
    // Where a card is, the model's runner finds out what it takes of it.
    cardBytes: undefined,
  });
  const need = memoryNeed(model, plan);
  return { fits: need.totalBytes <= freeBytes, sentence: fitSentence(need, freeBytes) };
}
