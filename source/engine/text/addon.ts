// Interface to llama.cpp; the only file that knows the internal names of node-llama-cpp's addon.
//
// Loads the addon directly. node-llama-cpp's JavaScript layer costs 0.5 s of imports and 0.6 s of
// self-test (it loads the binary in a forked Node first); a runner is a child process already, so a
// binary that crashes on load costs only that child. Decision 0002.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../errors.ts";
import type { DeviceKind } from "../generation.ts";

/** Version whose internals this file was written against; package.json pins the same. */
export const expectedAddonVersion = "3.21.1";

export interface AddonModel {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  tokenize(text: string, specialTokens: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, specialTokens?: boolean): string;
  getTrainContextSize(): number;
  getTotalSize(): number;
  getTotalParameters(): number;
  getModelDescription(): string;
  getMemoryBreakdown(): MemoryBreakdown;
  /** -1 for none. */
  tokenBos(): number;
  tokenEos(): number;
  sepToken(): number;
  getTokenString(token: number): string;
  getTokenAttributes(token: number): number;
  isEogToken(token: number): boolean;
  getVocabularyType(): number;
  shouldPrependBosToken(): boolean;
  shouldAppendEosToken(): boolean;
  loadLora(lora: AddonModelLora): Promise<void>;
}

/** Parsed grammar; creating one from bad GBNF throws. */
export type AddonGrammar = object;
/** Position of one answer in a grammar. */
export type AddonGrammarEvaluationState = object;

/** LoRA adapter that was read. */
export type AddonModelLora = object;

export interface AddonContext {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  getContextSize(): number;
  initBatch(tokens: number): void;
  /** Returns the index to sample from after the decode for each entry of `logitIndexes`. */
  addToBatch(
    sequence: number,
    firstPosition: number,
    tokens: Uint32Array,
    logitIndexes: Uint32Array,
  ): Uint32Array;
  decodeBatch(): Promise<void>;
  /** -1 when the sampler leaves no candidate. */
  sampleToken(logitIndex: number, sampler: AddonSampler): Promise<number>;
  /** Probabilities are alternating token and probability, most likely first, after the filters. */
  sampleToken(
    logitIndex: number,
    sampler: AddonSampler,
    probabilities: true,
  ): Promise<[token: number, probabilities: number[] | undefined]>;
  disposeSequence(sequence: number): void;
  /** Returns false when the model's memory cannot forget a part (recurrent models). */
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  getSequenceKvCacheMinPosition(sequence: number): number;
  /**
   * Restores the sequence of a checkpoint to it, up to and including a position.
   *
   * @returns false on failure; the state of the sequence is then unknown
   */
  restoreCheckpoint(checkpoint: AddonCheckpoint, lastPosition: number): Promise<boolean>;
  /**
   * Returns the last decode's embedding; only in a context with `embeddings`.
   *
   * @param length values to read, if they are not as many as the model's vectors have
   */
  getEmbedding(tokens: number, length?: number): Float64Array;
  setLoras(loras: AddonModelLora[], scales: number[]): void;
  getMemoryBreakdown(): MemoryBreakdown;
  getThreads(): number;
  setThreads(threads: number): void;
  saveSequenceStateToFile(file: string, sequence: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(
    file: string,
    sequence: number,
    maxTokens: number,
  ): Promise<Uint32Array>;
}

/**
 * Part of a sequence's memory that cannot be cut: recurrent states, and the sliding windows of
 * attention. Everything that can be cut must still be in the context when it is restored.
 */
export interface AddonCheckpoint {
  /** Copies the present state of a sequence; it can be restored to that sequence only. */
  init(context: AddonContext, sequence: number): Promise<void>;
  dispose(): void;
  /** Bytes. */
  readonly size: number;
}

export interface AddonSamplerConfiguration {
  temperature: number;
  topK: number;
  topP: number;
  minP: number;
  seed: number;
  repeatPenalty?: number;
  repeatPenaltyMaxTokens?: number;
  repeatPenaltyTokens?: Uint32Array;
  repeatPenaltyPresencePenalty?: number;
  repeatPenaltyFrequencyPenalty?: number;
  tokenBiasKeys?: Uint32Array;
  tokenBiasValues?: Float32Array;
  grammarEvaluationState?: AddonGrammarEvaluationState;
}

export interface AddonSampler {
  applyConfig(configuration: AddonSamplerConfiguration): void;
  dispose(): void;
}

interface AddonSamplerClass {
  new (model: AddonModel): AddonSampler;
  acceptGrammarEvaluationStateToken(state: AddonGrammarEvaluationState, token: number): void;
  canBeNextTokenForGrammarEvaluationState(
    state: AddonGrammarEvaluationState,
    token: number,
  ): boolean;
}

export interface MemoryBreakdown {
  cpuRam: number;
  gpuVram: number;
}

export interface AddonModelOptions {
  addonExports: Addon;
  gpuLayers: number;
  useMmap: boolean;
  noAlloc?: boolean;
  /** Values to use instead of the file's metadata; the type 0 is an integer. */
  overridesList?: Array<[key: string, value: number, type: 0]>;
  onLoadProgress?: (fraction: number) => void;
}

export interface AddonContextOptions {
  contextSize: number;
  batchSize: number;
  sequences: number;
  flashAttention: boolean | "auto";
  threads: number;
  embeddings?: boolean;
  /** Scores of a classification head instead of vectors. */
  ranking?: boolean;
  /** Layers with a sliding window keep all tokens of the context. */
  swaFullCache?: boolean;
  kvCacheKeyType?: number;
  kvCacheValueType?: number;
}

export interface Addon {
  AddonModel: new (path: string, options: AddonModelOptions) => AddonModel;
  AddonContext: new (model: AddonModel, options: AddonContextOptions) => AddonContext;
  AddonContextSequenceCheckpoint: new () => AddonCheckpoint;
  AddonSampler: AddonSamplerClass;
  AddonModelLora: new (model: AddonModel, file: string) => AddonModelLora;
  AddonGrammar: new (
    gbnf: string,
    options: { addonExports: Addon; rootRuleName?: string },
  ) => AddonGrammar;
  AddonGrammarEvaluationState: new (
    model: AddonModel,
    grammar: AddonGrammar,
  ) => AddonGrammarEvaluationState;
  init(): Promise<void>;
  loadBackends(folder?: string): void;
  setLogger(logger: (level: number, message: string) => void): void;
  setLoggerLogLevel(level: number): void;
  getGpuType(): string | false | undefined;
  getGpuVramInfo(): { total: number; used: number; unifiedSize: number };
  getGpuDeviceInfo(): { deviceNames: string[] };
  getGgmlType(name: string): number | undefined;
  getMathCores(): number;
  getIsArchSupported(architecture: string): boolean;
  getIsArchRecurrent(architecture: string): boolean | undefined;
  getIsArchHybrid(architecture: string): boolean | undefined;
  systemInfo(): string;
}

const neededNames: Record<string, string[]> = {
  AddonModel: [
    "init,dispose,tokenize,detokenize,getTrainContextSize,getTotalSize,getTotalParameters",
    "getModelDescription,getMemoryBreakdown,tokenBos,tokenEos,getTokenString,getTokenAttributes",
    "isEogToken,getVocabularyType,sepToken,shouldPrependBosToken,shouldAppendEosToken,loadLora",
  ],
  AddonContext: [
    "init,dispose,getContextSize,initBatch,addToBatch,decodeBatch,sampleToken,disposeSequence",
    "removeTokenCellsFromSequence,getSequenceKvCacheMinPosition,getMemoryBreakdown,getThreads",
    "setThreads,saveSequenceStateToFile,loadSequenceStateFromFile,getEmbedding,setLoras",
    "restoreCheckpoint",
  ],
  AddonContextSequenceCheckpoint: ["init,dispose"],
  AddonSampler: ["applyConfig,dispose"],
  "static AddonSampler": [
    "acceptGrammarEvaluationStateToken,canBeNextTokenForGrammarEvaluationState",
  ],
  AddonGrammar: ["isTextCompatible"],
  "": [
    "init,loadBackends,setLogger,setLoggerLogLevel,getGpuType,getGpuVramInfo,getGpuDeviceInfo",
    "getGgmlType,getMathCores,getIsArchSupported,getIsArchRecurrent,getIsArchHybrid,systemInfo",
    "AddonGrammarEvaluationState,AddonModelLora",
  ],
};

/**
 * Checks that a loaded native module has every name that this program uses.
 *
 * @throws ProductError `ENGINE_ADDON_INCOMPATIBLE` naming the missing names and the expected
 *   version
 */
export function checkAddon(candidate: unknown): asserts candidate is Addon {
  const missing: string[] = [];
  for (const [className, lists] of Object.entries(neededNames)) {
    const owner = ownerOf(candidate, className);
    for (const name of lists.join(",").split(",")) {
      if (typeof propertyOf(owner, name) !== "function") {
        missing.push(className === "" ? name : `${className}.${name}`);
      }
    }
  }
  if (missing.length === 0) return;
  throw new ProductError(engineErrors.addonIncompatible, {
    message: `The installed node-llama-cpp has no ${missing.slice(0, 3).join(", ")}${
      missing.length > 3 ? ` and ${missing.length - 3} more` : ""
    }.`,
    hint: `This program needs node-llama-cpp ${expectedAddonVersion} exactly; run npm ci.`,
  });
}

/** Returns the module itself, a class for static functions, or a class's prototype. */
function ownerOf(candidate: unknown, className: string): unknown {
  if (className === "") return candidate;
  const [name = "", isStatic] = className.split(" ").toReversed();
  const owner = propertyOf(candidate, name);
  return isStatic === undefined ? propertyOf(owner, "prototype") : owner;
}

function propertyOf(owner: unknown, name: string): unknown {
  if (owner === null || (typeof owner !== "object" && typeof owner !== "function"))
    return undefined;
  return Reflect.get(owner, name);
}

const platformNames: Record<string, string> = { darwin: "mac", linux: "linux", win32: "win" };

/** Native binary for one kind of device. */
export interface AddonBinary {
  device: DeviceKind;
  /** Path of the `.node` file. */
  file: string;
  /** Folder of further backends (builds for older drivers), if the package ships any. */
  extraBackendsFolder: string | undefined;
  /** Folder of backends that take precedence over the binary's own. */
  firstBackendsFolder?: string;
  /** Built for this machine. */
  isOwn: boolean;
}

/** File name of the addon in every build. */
export const addonFileName = "llama-addon.node";

/** Folder for a build for this machine; each version of the engine has its own. */
export function ownBuildFolder(device: DeviceKind): string {
  const cache = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
  return path.join(cache, "modelctl", "engine", expectedAddonVersion, device);
}

/** Finds a build for this machine, else the prebuilt binary; undefined when there is neither. */
export function findAddonBinary(device: DeviceKind): AddonBinary | undefined {
  const own = path.join(ownBuildFolder(device), addonFileName);
  if (existsSync(own)) return { device, file: own, extraBackendsFolder: undefined, isOwn: true };
  return device === "rocm" ? findLocalHipBuild() : findPrebuiltBinary(device);
}

/** Finds node-llama-cpp's binary for a device, if it is installed. */
export function findPrebuiltBinary(device: DeviceKind): AddonBinary | undefined {
  const system = `${platformNames[process.platform] ?? process.platform}-${process.arch}`;
  const variant = device === "cpu" ? system : `${system}-${device}`;
  const folder = binariesFolder(variant);
  if (folder === undefined) return undefined;
  const file = path.join(folder, variant, addonFileName);
  if (!existsSync(file)) return undefined;
  const extra = device === "cuda" ? binariesFolder(`${variant}-ext`) : undefined;
  return {
    device,
    file,
    extraBackendsFolder: extra === undefined ? undefined : path.join(extra, variant),
    isOwn: false,
  };
}

function binariesFolder(variant: string): string | undefined {
  try {
    const main = nodeLlamaCppRequire().resolve(`@node-llama-cpp/${variant}`);
    return path.join(path.dirname(main), "..", "bins");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND") {
      return undefined;
    }
    throw error;
  }
}

/**
 * Finds builds made by `npx node-llama-cpp source download` with GGML_HIP, which lie below the
 * package.
 */
function findLocalHipBuild(): AddonBinary | undefined {
  const main = nodeLlamaCppMain();
  if (main === undefined) return undefined;
  const builds = path.join(path.dirname(main), "..", "llama", "localBuilds");
  if (!existsSync(builds)) return undefined;
  for (const name of readdirSync(builds)) {
    const folder = path.join(builds, name, "Release");
    const metadata = path.join(folder, "_nlcBuildMetadata.json");
    const file = path.join(folder, addonFileName);
    if (!existsSync(file) || !existsSync(metadata)) continue;
    if (/"GGML_HIP"\s*:\s*"(1|ON)"/i.test(readFileSync(metadata, "utf8"))) {
      return { device: "rocm", file, extraBackendsFolder: undefined, isOwn: true };
    }
  }
  return undefined;
}

function nodeLlamaCppMain(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("node-llama-cpp");
  } catch {
    return undefined; // not installed: the caller reports that no binary was found
  }
}

function nodeLlamaCppRequire(): NodeJS.Require {
  return createRequire(nodeLlamaCppMain() ?? import.meta.url);
}

/**
 * Loads a binary and its backends into this process.
 *
 * @returns the addon; `addon.getGpuType()` shows whether the device works
 * @throws ProductError `ENGINE_ADDON_INCOMPATIBLE` when it cannot be loaded or lacks a name
 */
export async function openAddon(
  binary: AddonBinary,
  log: (level: number, message: string) => void,
): Promise<Addon> {
  let loaded: unknown;
  try {
    loaded = createRequire(import.meta.url)(binary.file);
  } catch (error) {
    throw new ProductError(engineErrors.addonIncompatible, {
      message: `The ${binary.device} build of llama.cpp could not be loaded: ${
        error instanceof Error ? error.message : String(error)
      }.`,
      hint: "Run npm ci again, or choose another device with --gpu.",
      cause: error,
    });
  }
  checkAddon(loaded);
  loaded.setLogger(log);
  loaded.setLoggerLogLevel(logLevels.info);
  loadBackends(loaded, binary);
  await loaded.init();
  return loaded;
}

function loadBackends(addon: Addon, binary: AddonBinary): void {
  const wantsGpu = binary.device !== "cpu";
  const works = () => {
    const type = addon.getGpuType();
    return wantsGpu ? typeof type === "string" : type !== undefined;
  };
  if (binary.firstBackendsFolder !== undefined) addon.loadBackends(binary.firstBackendsFolder);
  if (works()) return;
  addon.loadBackends();
  const own = path.dirname(binary.file);
  for (const folder of [own, path.join(binary.extraBackendsFolder ?? own, "fallback")]) {
    if (works()) return;
    if (existsSync(folder)) addon.loadBackends(folder);
  }
}

/** Levels of the addon's log messages. */
export const logLevels = { fatal: 1, error: 2, warn: 3, info: 4, log: 5, debug: 6 } as const;
