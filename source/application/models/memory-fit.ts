// Estimates, before a model is loaded, if it fits into free memory.
import type { Settings } from "../../configuration/settings.ts";
import {
  type FreeRoom,
  roomNeed,
  roomSentence,
  shortageOf,
} from "../../engine/scheduler/card-plan.ts";
import { planLoad } from "../../engine/scheduler/load-plan.ts";
import { freeMemoryBytes } from "../../engine/scheduler/memory-plan.ts";
import { findAddonBinary } from "../../engine/text/addon.ts";
import {
  type DeviceSetting,
  devicesToTry,
  lookForDevice,
} from "../../engine/text/choose-device.ts";
import { GpuReader } from "../../metrics/gpu-sample.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";
import { engineSettings } from "../local-server/engine-settings.ts";

/** If one of these is set, the engine does not see all cards that their tools report. */
const choosingVariables = [
  "CUDA_VISIBLE_DEVICES",
  "HIP_VISIBLE_DEVICES",
  "ROCR_VISIBLE_DEVICES",
  "GGML_VK_VISIBLE_DEVICES",
];

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

/** Windows that a model would have if it were loaded now, as texts. */
export interface PlannedWindows {
  /** `8192 tokens for each of 4 requests` */
  window: string;
  /** Reason why it is not longer, as a noun phrase. */
  limit: string;
  /** Tokens kept by layers with a sliding window; undefined without such layers. */
  sliding: string | undefined;
}

/** @param given free memory; undefined: as it is now */
export async function windowsOf(
  model: ResolvedModel,
  settings: Settings,
  given?: FreeRoom,
): Promise<PlannedWindows> {
  const free = given ?? (await freeRoom(settings));
  const plan = planLoad(model, model.parameters, engineSettings(settings), free);
  const { contextLength, slots, windowLimit, slidingWindow } = plan;
  const wanted = settings.num_parallel;
  const few = slots < wanted ? ` (room for ${slots} of ${wanted})` : "";
  const tokens = `${slidingWindow} tokens`;
  return {
    window:
      slots === 1
        ? `${contextLength} tokens, one request at a time${few}`
        : `${contextLength} tokens for each of ${slots} requests${few}`,
    limit: windowLimit,
    sliding:
      slidingWindow === 0
        ? undefined
        : plan.keepsWholeWindow
          ? `${tokens}; its layers keep all, which takes little`
          : tokens,
  };
}

/**
 * Measures free graphics memory while no model is loaded; later the runners report it.
 *
 * @returns free bytes of all GPUs together; undefined if models use none, or none reports it
 */
export async function freeCardBytes(
  setting: DeviceSetting,
  isUsable = canUse,
  reader: Pick<GpuReader, "read"> = new GpuReader(),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number | undefined> {
  const kinds = setting === "auto" ? devicesToTry() : [setting];
  // A Mac's graphics use the machine's own memory.
  if (!kinds.some((kind) => kind !== "cpu" && kind !== "metal" && isUsable(kind))) return undefined;
  if (choosingVariables.some((name) => environment[name] !== undefined)) return undefined;
  const free = (await reader.read()).flatMap(({ memoryTotalBytes, memoryUsedBytes }) =>
    memoryTotalBytes === undefined || memoryUsedBytes === undefined
      ? []
      : [memoryTotalBytes - memoryUsedBytes],
  );
  return free.length === 0 ? undefined : free.reduce((sum, bytes) => sum + bytes, 0);
}

function canUse(kind: Exclude<DeviceSetting, "auto">): boolean {
  return lookForDevice(kind).present && findAddonBinary(kind) !== undefined;
}

async function freeRoom(settings: Settings): Promise<FreeRoom> {
  return { memoryBytes: freeMemoryBytes(), cardBytes: await freeCardBytes(settings.gpu) };
}
