// Estimates the memory of a model before it is loaded.
import type { Settings } from "../configuration/settings.ts";
import {
  type FreeRoom,
  roomNeed,
  roomSentence,
  shortageOf,
} from "../engine/scheduler/card-plan.ts";
import { planLoad } from "../engine/scheduler/load-plan.ts";
import { freeMemoryBytes } from "../engine/scheduler/memory-plan.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import { engineSettings } from "./engine-settings.ts";
import { freeCardBytes } from "./free-card-bytes.ts";

/** @param given free memory; undefined: as it is now */
export async function fitOf(
  model: ResolvedModel,
  settings: Settings,
  given?: FreeRoom,
): Promise<{ fits: boolean; sentence: string }> {
  const free = given ?? (await freeRoom(settings));
  const plan = planLoad(model, model.parameters, engineSettings(settings), free);
  return {
    fits: shortageOf(roomNeed(model, plan), free, [], false) === undefined,
    sentence: roomSentence(model, plan, free),
  };
}

/**
 * Tells what layers with a sliding window would keep if the model were loaded now.
 *
 * @param given free memory; undefined: as it is now
 * @returns undefined for a model that has none
 */
export async function slidingWindowOf(
  model: ResolvedModel,
  settings: Settings,
  given?: FreeRoom,
): Promise<string | undefined> {
  if (model.facts.slidingWindow === 0) return undefined;
  const free = given ?? (await freeRoom(settings));
  const plan = planLoad(model, model.parameters, engineSettings(settings), free);
  const tokens = `${plan.slidingWindow} tokens`;
  return plan.keepsWholeWindow ? `${tokens}; its layers keep all, which takes little` : tokens;
}

async function freeRoom(settings: Settings): Promise<FreeRoom> {
  return { memoryBytes: freeMemoryBytes(), cardBytes: await freeCardBytes(settings.gpu) };
}
