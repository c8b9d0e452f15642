// Settings to load a model with, and the reasons for a reload: other settings, or replaced files.

import { realpath, stat } from "node:fs/promises";
import { shownModel } from "../../base/display-text.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { DeviceKind } from "../generation.ts";
import type { LoadSettings, PromptCacheSettings, VisionSettings } from "../runner/load-settings.ts";
import { hasExtension } from "../text/engine-extension.ts";
import type { FreeRoom } from "./card-plan.ts";
import { planDraft } from "./draft-plan.ts";
import { planMtp } from "./mtp-plan.ts";
import { type PlacementSettings, planPlacement } from "./placement-plan.ts";
import { computesOnCpu, planWindows, wholeWindowBytes, windowRoom } from "./window-plan.ts";

/** Loading settings from the server's configuration. */
export interface EngineSettings extends PlacementSettings {
  device: "auto" | DeviceKind;
  /** Most slots of one model; it gets fewer if memory is short. */
  slots: number;
  /** Undefined: chosen from the machine's memory. */
  contextLength: number | undefined;
  threads: number | undefined;
  flashAttention: boolean | "auto";
  kvCacheType: "f16" | "q8_0" | "q4_0";
  /** See `LoadSettings`. */
  unifiedCache: boolean;
  prefillChunk: number | undefined;
  mixedBatches: boolean;
  /** See `LoadSettings`. */
  lookupTokens: number | undefined;
  prefixSharing: boolean;
  /** Bytes for one model; undefined fits it to the machine. */
  conversationCacheBytes: number | undefined;
  /** Undefined turns it off. */
  promptCache: PromptCacheSettings | undefined;
  maxQueue: number;
}

const usualBatchSize = 512;
/**
 * Layers with a sliding window also keep a step's tokens, in every slot. CPUs read prompts as fast
 * in smaller steps: 1,200 tokens on one core took 8.1 s either way.
 */
const slidingBatchSize = 256;
/** Buffers grow with the batch size: a careless number must not take all memory. */
const largestBatchSize = 8192;
/** Requests that name no window use the loaded one, so it must not be tiny. */
const smallestWindow = 256;

/** Feature that a request needs beyond text. */
export type RequestNeed = "images" | "embeddings" | undefined;

/**
 * @param parameters the model's parameters overridden by the request's
 * @param free memory that is free now
 */
export function planLoad(
  model: ResolvedModel,
  parameters: ModelParameters,
  settings: EngineSettings,
  free: FreeRoom,
  need?: RequestNeed,
): LoadSettings {
  const { facts } = model;
  const kvCacheType = parameters.kv_cache_type ?? settings.kvCacheType;
  const trained = facts.trainedContextLength;
  const gpuLayers =
    parameters.num_gpu === undefined || parameters.num_gpu < 0 ? undefined : parameters.num_gpu;
  const placement = planPlacement(model, parameters, settings);
  // A step must have room for one token of every slot.
  const batchSize = Math.max(
    32,
    settings.slots,
    Math.min(largestBatchSize, parameters.num_batch ?? batchSizeFor(model, settings, free)),
  );
  const room = windowRoom(model, { device: settings.device, gpuLayers, placement }, free);
  const given = givenWindow(parameters, settings, trained);
  const longest = given?.contextLength ?? trained;
  const mtp = planMtp(model, parameters, { contextLength: longest, slots: settings.slots });
  const draft = mtp === undefined ? planDraft(model, parameters, longest) : undefined;
  const windows = planWindows(
    model,
    { slots: settings.slots, kvCacheType, batchSize, draft, mtp },
    room,
    given,
  );
  const { contextLength, slots } = windows;
  return {
    modelPath: facts.path,
    sizeBytes: facts.fileSize,
    draft,
    mtp,
    adapters: model.adapters,
    vision: planVision(model, settings, need),
    architecture: facts.architecture,
    layers: facts.layers,
    missingMtpLayers: facts.mtpHeads.present === 0 ? facts.mtpHeads.announced : 0,
    vocabularySize: facts.vocabularySize,
    trainedContextLength: trained,
    slidingWindow: facts.slidingWindow,
    keepsWholeWindow:
      wholeWindowBytes(model, { contextLength, slots, kvCacheType, batchSize }, room.leftBytes) !==
      undefined,
    device: settings.device,
    gpuLayers,
    placement,
    unifiedCache: parameters.kv_unified ?? settings.unifiedCache,
    ...windows,
    threads: parameters.num_thread === 0 ? undefined : (parameters.num_thread ?? settings.threads),
    batchSize,
    prefillChunk: settings.prefillChunk,
    mixedBatches: settings.mixedBatches,
    lookupTokens: settings.lookupTokens,
    prefixSharing: settings.prefixSharing,
    conversationCacheBytes: settings.conversationCacheBytes,
    promptCache: settings.promptCache && {
      ...settings.promptCache,
      ...{ model: model.name, parts: model.parts },
    },
    flashAttention: settings.flashAttention,
    kvCacheType,
    useMmap: parameters.use_mmap ?? true,
    maxQueue: settings.maxQueue,
  };
}

/** Returns the window that a request, its model or the settings name, and the name of that limit. */
function givenWindow(
  { num_ctx: wanted }: ModelParameters,
  settings: EngineSettings,
  trained: number,
): { contextLength: number; by: string } | undefined {
  const contextLength = wanted ?? settings.contextLength;
  if (contextLength === undefined || contextLength <= 0) return undefined;
  return {
    contextLength: Math.min(trained, Math.max(smallestWindow, contextLength)),
    by: wanted === undefined ? "the setting context_length" : "num_ctx",
  };
}

function batchSizeFor(
  { facts }: ResolvedModel,
  { device }: EngineSettings,
  { cardBytes }: FreeRoom,
): number {
  // A graphics card is faster with larger steps.
  const isOnCpu = computesOnCpu(device, cardBytes);
  return facts.slidingWindow > 0 && isOnCpu ? slidingBatchSize : usualBatchSize;
}

/**
 * The text engine supports vision if the engine extension was built for it, and loads the projector for
 * the first image. Otherwise the first request with an image loads the model into the binding's
 * engine, which text-only users thus never use.
 */
function planVision(
  { projectors: [projectorPath] }: ResolvedModel,
  { device }: EngineSettings,
  need: RequestNeed,
): VisionSettings | undefined {
  if (projectorPath === undefined) return undefined;
  if (hasExtension(device)) return { projectorPath, engine: "built" };
  return need === "images" ? { projectorPath, engine: "prebuilt" } : undefined;
}

const loadParameters: ReadonlySet<string> = new Set([
  "num_ctx",
  "num_gpu",
  "num_thread",
  "num_batch",
  "kv_cache_type",
  "use_mmap",
  "n_cpu_moe",
  "split_mode",
  "tensor_split",
  "main_gpu",
  "kv_unified",
  "draft",
  "spec_type",
  "draft_num_predict",
] satisfies Array<keyof ModelParameters>);

/** Tells if a request names anything that may cause a reload. */
export function mayNeedReload(named: ModelParameters, need: RequestNeed): boolean {
  return need !== undefined || Object.keys(named).some((name) => loadParameters.has(name));
}

const placementNames = [
  ["n_cpu_moe", "cpuExpertLayers"],
  ["split_mode", "splitMode"],
  ["tensor_split", "tensorSplit"],
  ["main_gpu", "mainGpu"],
] as const satisfies Array<[keyof ModelParameters, keyof LoadSettings["placement"]]>;

/**
 * Returns the reason why a loaded model cannot serve a request, or undefined when it can. A larger
 * window serves a smaller one, and parameters that the request does not name never cause a reload.
 */
export function reloadReason(
  loaded: LoadSettings,
  wanted: LoadSettings,
  named: ModelParameters,
  need?: RequestNeed,
): string | undefined {
  if (need === "images" && wanted.vision?.engine !== loaded.vision?.engine) {
    return "a request contains images";
  }
  if (need === "embeddings" && loaded.vision?.engine === "prebuilt") {
    return "the prebuilt image engine cannot create embeddings";
  }
  if (named.num_ctx !== undefined && wanted.contextLength > loaded.contextLength) {
    return `num_ctx ${wanted.contextLength} is larger than the loaded ${loaded.contextLength}`;
  }
  if (named.num_gpu !== undefined && wanted.gpuLayers !== loaded.gpuLayers) {
    return "num_gpu differs";
  }
  const moved = placementNames.find(
    ([name, field]) =>
      named[name] !== undefined &&
      String(wanted.placement[field]) !== String(loaded.placement[field]),
  );
  if (moved !== undefined) return `${moved[0]} differs`;
  if (named.kv_unified !== undefined && wanted.unifiedCache !== loaded.unifiedCache) {
    return "kv_unified differs";
  }
  if (wanted.draft !== undefined && wanted.draft.modelPath !== loaded.draft?.modelPath) {
    return "the draft model differs";
  }
  const usesMtp = wanted.mtp !== undefined;
  if (named.spec_type !== undefined && usesMtp !== (loaded.mtp !== undefined)) {
    return "spec_type differs";
  }
  const most = ({ draft, mtp }: LoadSettings) => draft?.most ?? mtp?.most;
  if (named.draft_num_predict !== undefined && most(wanted) !== most(loaded)) {
    return "draft_num_predict differs";
  }
  if (named.num_thread !== undefined && wanted.threads !== loaded.threads) {
    return "num_thread differs";
  }
  if (named.num_batch !== undefined && wanted.batchSize !== loaded.batchSize) {
    return "num_batch differs";
  }
  if (named.kv_cache_type !== undefined && wanted.kvCacheType !== loaded.kvCacheType) {
    return "kv_cache_type differs";
  }
  if (named.use_mmap !== undefined && wanted.useMmap !== loaded.useMmap) return "use_mmap differs";
  return undefined;
}

/** The files that a model is made of, whatever names and paths they have. */
export interface ModelFiles {
  /** Their paths without links. */
  key: string;
  /** Finds the same files behind other hard links. Some network file systems change it at every call. */
  inodes: string;
  /** Equal as long as no file is written or replaced. */
  state: string;
}

/** Looks at a model's files: models of the same ones share a runner, until one is replaced. */
export async function filesOf({
  parts,
  adapters,
  projectors,
}: Pick<ResolvedModel, "parts" | "adapters" | "projectors">): Promise<ModelFiles> {
  const kinds = [parts, adapters, projectors].map((files) => Promise.all(files.map(lookAt)));
  const found = await Promise.all(kinds);
  const told = (name: keyof ModelFiles) =>
    JSON.stringify(found.map((files) => files.map((file) => file[name])));
  return { key: told("key"), inodes: told("inodes"), state: told("state") };
}

/** Loading reports a file that is gone. */
async function lookAt(file: string): Promise<ModelFiles> {
  const [key, found] = await Promise.all([
    realpath(file).catch(() => file),
    stat(file, { bigint: true }).catch(() => undefined),
  ]);
  if (found === undefined) return { key, inodes: `none at ${file}`, state: "missing" };
  const { dev, ino, size, mtimeNs } = found;
  return { key, inodes: `${dev} ${ino}`, state: `${size} ${mtimeNs}` };
}

/** Says that a request gets another window than it asks for; undefined if it does not. */
export function windowWarning(
  { name, facts }: ResolvedModel,
  { num_ctx: wanted = 0 }: ModelParameters,
): string | undefined {
  const trained = facts.trainedContextLength;
  if (wanted > trained) {
    return `num_ctx ${wanted} is more than ${shownModel(name)} supports: using its limit of ${trained} tokens.`;
  }
  if (wanted <= 0 || wanted >= Math.min(smallestWindow, trained)) return undefined;
  return `num_ctx ${wanted} is too small: using the smallest window, ${smallestWindow} tokens.`;
}
