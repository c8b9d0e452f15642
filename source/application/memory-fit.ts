// Whether a model fits into memory, told before it is loaded.
import type { Settings } from "../configuration/settings.ts";
import { type FreeRoom, roomNeed, shortageOf } from "../engine/scheduler/card-plan.ts";
import { planLoad } from "../engine/scheduler/load-plan.ts";
import { roomSentence } from "../engine/scheduler/load-sentence.ts";
import { freeMemoryBytes } from "../engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import { engineSettings } from "./engine-settings.ts";
import { freeCardBytes } from "./free-card-bytes.ts";

/** @param given what is free; undefined: what is free now */
export async function fitOf(
  model: ResolvedModel,
  settings: Settings,
  given?: FreeRoom,
): Promise<{ fits: boolean; sentence: string }> {
  const free = given ?? {
    memoryBytes: freeMemoryBytes(),
    cardBytes: await freeCardBytes(settings.gpu),
  };
  const plan = planLoad(model, model.parameters, engineSettings(settings), free);
  return {
    fits: shortageOf(roomNeed(model, plan), free, [], false) === undefined,
    sentence: roomSentence(model, plan, free),
  };
}
