// Engine extension: native/engine-extension.cpp, which is compiled on this machine and works on the models and
// contexts of node-llama-cpp's prebuilt addon. Decision 30.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { packageFolder } from "../../base/package-facts.ts";
import { describeError } from "../../base/product-error.ts";
import type { SplitMode } from "../../store/model-parameters.ts";
import type { DeviceKind } from "../generation.ts";
import {
  type AddonBinary,
  type AddonContext,
  type AddonModel,
  expectedAddonVersion,
  findPrebuiltBinary,
  ownBuildFolder,
} from "./addon.ts";
import { type DeviceSetting, devicesToTry, lookForDevice } from "./choose-device.ts";

/** Options of a model that the addon does not know. */
export interface HiddenModelOptions {
  /** Layers, from the first, whose experts stay in the machine's memory. */
  cpuExpertLayers?: number | undefined;
  splitMode?: SplitMode | undefined;
  /** Card of the whole model with the split mode `none`. */
  mainGpu?: number | undefined;
  /** Proportions of the cards. */
  tensorSplit?: readonly number[] | undefined;
  /** Loads the model's MTP heads. */
  loadMtp?: boolean | undefined;
}

/** Memory that a model needs on one card, and that is free there. */
export interface CardMemoryNeed {
  bytes: number;
  freeBytes: number;
}

export interface HiddenContextOptions {
  unifiedCache?: boolean | undefined;
  /** Last tokens that recurrent states can take back. */
  recurrentSnapshots?: number | undefined;
  /** Makes it a context of the model's MTP heads. */
  isMtp?: boolean | undefined;
}

/** Part of an image after preprocessing: text tokens around it, or image positions. */
export interface PicturePiece {
  tokens?: Uint32Array;
  tokenCount: number;
  /** Fewer than the tokens in models that place images in two dimensions. */
  positionCount: number;
}

/** Image that was split as the projector needs it. */
export interface Picture {
  pieces(): PicturePiece[];
  /** Runs the image encoder on a piece; the picture keeps the result. */
  encode(piece: number): Promise<void>;
  /** Puts an encoded piece into a context, in steps of at most `batchSize` tokens. */
  decode(
    piece: number,
    context: AddonContext,
    sequence: number,
    position: number,
    batchSize: number,
  ): Promise<void>;
}

export interface ImageReader {
  /** Rejects with llama.cpp's reason if the projector is unusable. */
  init(): Promise<void>;
  /** Decodes a PNG or JPEG file. */
  read(file: Uint8Array): Promise<Picture>;
}

export interface EngineExtension {
  /** Sets options of a model before its `init`. */
  configureModel(model: AddonModel, options: HiddenModelOptions): void;
  /** Sets options of a context before its `init`. */
  configureContext(context: AddonContext, options: HiddenContextOptions): void;
  /**
   * Keeps the states that MTP heads take, of every decode from now on.
   *
   * @param ofAll those of all tokens, instead of only those with an output
   */
  keepStates(context: AddonContext, ofAll: boolean): void;
  /** Returns the states of the last decode's first tokens, one after the other. */
  states(context: AddonContext, count: number): Float32Array;
  /** Gives the heads' context the states that belong to the tokens of its batch. */
  setStates(context: AddonContext, states: Float32Array): void;
  /** Returns what a context and its model take on each card. */
  memoryByCard(context: AddonContext): CardMemoryNeed[];
  ImageReader: new (
    model: AddonModel,
    projectorPath: string,
    threads: number,
    usesGpu: boolean,
  ) => ImageReader;
}

const neededNames = [
  "configureModel",
  "configureContext",
  "keepStates",
  "states",
  "setStates",
  "memoryByCard",
  "ImageReader",
];

/** File name of the extension in every build. */
export const extensionFileName = "engine-extension.node";
/** CPU backend for this machine's CPU, if it was built next to the extension. */
export const cpuFileName = "libggml-cpu-own.so";
/** Sources, next to each other in the package. */
export const extensionSources = ["CMakeLists.txt", "engine-extension.cpp", "image-reader.cpp"];

/** Folders of the extension for a device's prebuilt addon: the user's build, then the package's. */
export function extensionFolders(device: DeviceKind): [users: string, ours: string] {
  const system = `${process.platform}-${process.arch}`;
  return [
    path.join(path.dirname(ownBuildFolder(device)), "extension", device),
    path.join(packageFolder(), "native", "built", expectedAddonVersion, system, device),
  ];
}

/** Finds the extension's file for a device; undefined if none was built. */
export function findExtension(device: DeviceKind): string | undefined {
  return extensionFolders(device)
    .map((folder) => path.join(folder, extensionFileName))
    .find((file) => existsSync(file));
}

/** Finds the prebuilt addon if an extension was built for it, with its backends. */
export function findExtensibleBinary(device: DeviceKind): AddonBinary | undefined {
  const binary = findPrebuiltBinary(device);
  const extension = findExtension(device);
  if (binary === undefined || extension === undefined) return undefined;
  const folder = path.dirname(extension);
  const hasCpu = device === "cpu" && existsSync(path.join(folder, cpuFileName));
  return hasCpu ? { ...binary, firstBackendsFolder: folder } : binary;
}

/** Returns true if there is an extension for the device that the setting selects. */
export function hasExtension(setting: DeviceSetting): boolean {
  const kinds = setting === "auto" ? devicesToTry() : [setting];
  const first = kinds.find(
    (kind) => lookForDevice(kind).present && findPrebuiltBinary(kind) !== undefined,
  );
  return first !== undefined && findExtensibleBinary(first) !== undefined;
}

/**
 * Loads the extension.
 *
 * @param binary the addon that was loaded: a build for this machine has no extension
 * @returns a clause that says why there is none, such as `none is built for cuda`
 */
export function openExtension({ device, isOwn }: AddonBinary): EngineExtension | string {
  const file = findExtension(device);
  if (isOwn) return "builds of the engine for this machine have none";
  if (file === undefined) return `none is built for ${device}`;
  let loaded: unknown;
  try {
    loaded = createRequire(import.meta.url)(file);
  } catch (error) {
    return `it could not be loaded: ${describeError(error)}`;
  }
  const missing = neededNames.filter((name) => !hasFunction(loaded, name));
  if (missing.length > 0) return `the built one is of another version, without ${missing[0]}`;
  return loaded as EngineExtension;
}

function hasFunction(owner: unknown, name: string): boolean {
  return (
    typeof owner === "object" && owner !== null && typeof Reflect.get(owner, name) === "function"
  );
}

/** Command that builds the extension. */
export function buildCommand(device: DeviceKind): string {
  return `modelctl engine build --extension${device === "cpu" ? "" : ` --gpu ${device}`}`;
}
