// Estimates the memory that a model needs with a chosen context window, and if it fits, from the server's
// figures.

import type { LoadedEntry } from "./model-calls.ts";
import type { CacheType, Capacity, ModelMemory } from "./models-store.ts";

/** Load options; the server chooses undefined ones. */
export interface LoadChoice {
  readonly contextLength: number | undefined;
  readonly cacheType: CacheType | undefined;
}

/** `gpu`: all layers. `split`: some of them. `cpu`: no GPU. `none`: too big. */
export type Fit = "gpu" | "split" | "cpu" | "none";

export interface MemoryEstimate {
  readonly contextLength: number;
  /** Number of windows of that length. */
  readonly slots: number;
  readonly cacheType: CacheType;
  readonly weightsBytes: number;
  readonly cacheBytes: number;
  readonly computeBytes: number;
  readonly totalBytes: number;
  readonly fit: Fit;
  /** Layers that fit on the GPUs, including the output layer; undefined without a GPU. */
  readonly gpuLayers: number | undefined;
  readonly layers: number;
}

/** Memory of a loaded model, which is freed when it is loaded again. */
export type AllocatedMemory = Pick<LoadedEntry, "size" | "size_vram" | "context_length" | "slots">;

/** Memory of each GPU that the server leaves to the driver and other programs. */
const reserveBytes = 400 * 1024 ** 2;

const nothingHeld: AllocatedMemory = { size: 0, size_vram: 0, context_length: 0, slots: 0 };

/** @param held memory of the model itself, if it is loaded */
export function estimateMemory(
  memory: ModelMemory,
  capacity: Capacity,
  choice: LoadChoice,
  held: AllocatedMemory = nothingHeld,
): MemoryEstimate {
  const { weightsBytes, computeBytes, trainedContextLength } = memory;
  const cacheType = choice.cacheType ?? memory.cacheType;
  const wanted = choice.contextLength ?? memory.contextLength;
  // A model without a known trained length accepts any window.
  const contextLength = trainedContextLength > 0 ? Math.min(wanted, trainedContextLength) : wanted;
  const windowBytes = memory.cacheBytesPerToken[cacheType] * contextLength;
  const slots =
    contextLength === held.context_length
      ? held.slots
      : slotsIn(memory.windowRoomBytes + held.size, windowBytes, capacity.slots);
  const cacheBytes = windowBytes * slots;
  const totalBytes = weightsBytes + computeBytes + cacheBytes;
  const layers = memory.layers + 1;
  const vramBytes = freeVramBytes(capacity) + held.size_vram;
  const ramBytes = capacity.memory.freeBytes + (held.size - held.size_vram);
  const fit = fitIn(totalBytes, capacity, vramBytes, ramBytes);
  // Assumes that weights and windows are spread evenly over the layers.
  const share = Math.min(layers - 1, Math.floor((vramBytes / totalBytes) * layers));
  const gpuLayers = fit === "gpu" ? layers : fit === "split" ? share : undefined;
  return {
    contextLength,
    slots,
    cacheType,
    weightsBytes,
    cacheBytes,
    computeBytes,
    totalBytes,
    fit,
    gpuLayers,
    layers,
  };
}

/** Returns the number of windows that fit, as the server counts them: at least one. */
function slotsIn(roomBytes: number, windowBytes: number, most: number): number {
  if (windowBytes === 0) return most;
  return Math.max(1, Math.min(most, Math.floor(roomBytes / Math.ceil(windowBytes))));
}

/** Returns the free memory of all GPUs. */
export function freeVramBytes({ gpus }: Capacity): number {
  return gpus.reduce((sum, { freeBytes }) => sum + Math.max(0, freeBytes - reserveBytes), 0);
}

/** Estimates the fit of a model that is not installed by its weights alone. */
export function fitOfWeights(weightsBytes: number, capacity: Capacity): Fit {
  return fitIn(weightsBytes, capacity, freeVramBytes(capacity), capacity.memory.freeBytes);
}

function fitIn(
  totalBytes: number,
  { gpus, hasUnifiedMemory }: Capacity,
  vramBytes: number,
  ramBytes: number,
): Fit {
  if (hasUnifiedMemory) return totalBytes <= ramBytes ? "gpu" : "none";
  if (gpus.length === 0) return totalBytes <= ramBytes ? "cpu" : "none";
  if (totalBytes <= vramBytes) return "gpu";
  return totalBytes <= vramBytes + ramBytes ? "split" : "none";
}

/** Windows to step through. */
const windowLadder = [
  2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144, 524_288, 1_048_576,
];

/**
 * Returns the next longer or shorter window; stops at the ends.
 *
 * @param current window
 */
export function nextWindow(current: number, direction: -1 | 1): number {
  const found =
    direction === 1
      ? windowLadder.find((length) => length > current)
      : windowLadder.findLast((length) => length < current);
  return found ?? current;
}

/** Cycles through the KV cache types. */
export function nextCacheType(current: CacheType): CacheType {
  const next: Record<CacheType, CacheType> = { f16: "q8_0", q8_0: "q4_0", q4_0: "f16" };
  return next[current];
}
