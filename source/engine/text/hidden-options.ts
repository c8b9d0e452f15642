// Options of a load that the addon hides, set by the engine extension. What cannot be used is left out with one
// sentence, and the model runs without it.
import type { DeviceKind } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import type { AddonBinary, AddonContext, AddonModel } from "./addon.ts";
import {
  buildCommand,
  type CardMemoryNeed,
  type EngineExtension,
  findExtensibleBinary,
  type HiddenModelOptions,
  openExtension,
} from "./engine-extension.ts";

/** Device that a model is loaded on. */
export interface LoadDevice {
  binary: AddonBinary;
  /** Names of its cards; none for the CPU. */
  names: readonly string[];
}

export interface HiddenOptions {
  /** Sentences about what is left out. */
  warnings: readonly string[];
  /** Called before a model's `init`. */
  applyToModel(model: AddonModel): void;
  /** Called before a context's `init`. */
  applyToContext(context: AddonContext): void;
  /** For MTP heads; undefined if none are to be used, or it is missing. */
  mtp: EngineExtension | undefined;
  /** Returns what an initialised context needs on each card; nothing if that is not known. */
  memoryByCard(context: AddonContext): CardMemoryNeed[];
}

/** For loads that use none. */
export const noHiddenOptions: HiddenOptions = {
  warnings: [],
  applyToModel: () => {},
  applyToContext: () => {},
  mtp: undefined,
  memoryByCard: () => [],
};

type WantedOptions = Pick<LoadSettings, "placement" | "unifiedCache" | "mtp">;

/** Returns true if a load has such options: it needs the addon that the extension was built for. */
export function wantsHiddenOptions({ placement, unifiedCache, mtp }: WantedOptions): boolean {
  return unifiedCache || mtp !== undefined || Object.keys(placement).length > 0;
}

/** Finds the addon for a load: only a prebuilt one has an extension. */
export function binaryFor(
  settings: WantedOptions,
  otherwise: (device: DeviceKind) => AddonBinary | undefined,
): typeof otherwise {
  if (!wantsHiddenOptions(settings)) return otherwise;
  return (device) => findExtensibleBinary(device) ?? otherwise(device);
}

/** @param open loads the extension, or says why there is none */
export function hiddenOptions(
  { placement, unifiedCache, mtp }: WantedOptions,
  { binary, names }: LoadDevice,
  open: (binary: AddonBinary) => EngineExtension | string = openExtension,
): HiddenOptions {
  const warnings: string[] = [];
  const model: HiddenModelOptions = {
    ...usableOn(binary.device, names.length, placement, warnings),
    ...(mtp !== undefined && { loadMtp: true }),
  };
  const wanted = [
    ...Object.keys(model).map((name) => parameterNames[name as keyof HiddenModelOptions]),
    ...(unifiedCache ? ["kv_unified"] : []),
  ];
  const found = wanted.length === 0 ? undefined : open(binary);
  if (typeof found === "string") {
    warnings.push(
      `${wanted.join(" and ")} ${wanted.length > 1 ? "have" : "has"} no effect without the engine extension: ` +
        `${found}. Build it with ${buildCommand(binary.device)}.`,
    );
  }
  const extension = typeof found === "string" ? undefined : found;
  return {
    warnings,
    applyToModel: (target) => extension?.configureModel(target, model),
    applyToContext: (context) =>
      extension?.configureContext(context, { unifiedCache, recurrentSnapshots: mtp?.most }),
    mtp: mtp && extension,
    memoryByCard: (context) => extension?.memoryByCard(context) ?? [],
  };
}

const parameterNames: Record<keyof HiddenModelOptions, string> = {
  cpuExpertLayers: "n_cpu_moe",
  splitMode: "split_mode",
  mainGpu: "main_gpu",
  tensorSplit: "tensor_split",
  loadMtp: "spec_type",
};

/** Devices whose buffers can hold rows of a matrix; others refuse to load such a model. */
const dividingDevices: readonly DeviceKind[] = ["cuda", "rocm"];

/** Leaves out what the device does not have. A CPU has no cards, and its experts are in memory anyway. */
function usableOn(
  device: DeviceKind,
  names: number,
  { tensorSplit, mainGpu, splitMode, ...others }: LoadSettings["placement"],
  warnings: string[],
): HiddenModelOptions {
  const cards = device === "cpu" ? 0 : names;
  const isUndivided = splitMode === "row" && !dividingDevices.includes(device);
  const has = cards === 0 ? "there is no card" : cards === 1 ? "there is 1" : `there are ${cards}`;
  const isTooMany = tensorSplit !== undefined && tensorSplit.length > cards;
  const isMissing = mainGpu !== undefined && mainGpu >= cards;
  if (isTooMany) {
    warnings.push(
      `tensor_split ${tensorSplit.join(",")} is left out: it is for ${tensorSplit.length} cards, but ${has}.`,
    );
  }
  if (isMissing) warnings.push(`main_gpu ${mainGpu} is left out: cards count from 0, and ${has}.`);
  if (cards === 0) return {};
  if (isUndivided) warnings.push(`split_mode row is left out: ${device} cannot divide layers.`);
  return {
    ...others,
    ...(splitMode !== undefined && !isUndivided && { splitMode }),
    ...(tensorSplit !== undefined && !isTooMany && { tensorSplit }),
    ...(mainGpu !== undefined && !isMissing && { mainGpu }),
  };
}
