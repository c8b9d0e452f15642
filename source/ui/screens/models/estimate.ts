// Memory needed to load a model with a chosen context window, and its fit: calculated for every row of a
// list from the figures that the server gives.

import type { LoadedEntry } from "../../../client/model-calls.ts";
import type { Capacity } from "../../../client/models-capacity.ts";
import type { CacheType, ModelMemory } from "../../../client/models-store.ts";

/** Options to load with; undefined leaves one to the server. */
export interface LoadChoice {
  readonly contextLength: number | undefined;
  readonly cacheType: CacheType | undefined;
}

/** `gpu`: all layers. `split`: some of them. `cpu`: there is no card. `none`: too big. */
export type Fit = "gpu" | "split" | "cpu" | "none";

export interface MemoryEstimate {
  readonly contextLength: number;
  /** Windows of that length. */
  readonly slots: number;
  readonly cacheType: CacheType;
  readonly weightsBytes: number;
  readonly cacheBytes: number;
  readonly computeBytes: number;
  readonly totalBytes: number;
  readonly fit: Fit;
  /** Layers that the cards have room for, the output layer among them; undefined without a card. */
  readonly gpuLayers: number | undefined;
  readonly layers: number;
}

/** The memory of a loaded model, which it gives back when it is loaded again. */
export type AllocatedMemory = Pick<LoadedEntry, "size" | "size_vram" | "context_length" | "slots">;

/** The server leaves this much of each card to its driver and to other programs. */
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
  // A model of unknown training takes any window.
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
  // Weights and windows spread evenly over the layers, near enough for an estimate.
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

/** The windows that the server gives a model: as many as find room, at least one. */
function slotsIn(roomBytes: number, windowBytes: number, most: number): number {
  if (windowBytes === 0) return most;
  return Math.max(1, Math.min(most, Math.floor(roomBytes / Math.ceil(windowBytes))));
}

/** Memory of all cards that a model can have. */
export function freeVramBytes({ gpus }: Capacity): number {
  return gpus.reduce((sum, { freeBytes }) => sum + Math.max(0, freeBytes - reserveBytes), 0);
}

/** A first guess for a model that is not installed, by its weights alone. */
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
 * The next longer or shorter window; the ends of the ladder stay.
 *
 * @param current the window on the screen
 */
export function nextWindow(current: number, direction: -1 | 1): number {
  const found =
    direction === 1
      ? windowLadder.find((length) => length > current)
      : windowLadder.findLast((length) => length < current);
  return found ?? current;
}

/** Goes round the KV cache types. */
export function nextCacheType(current: CacheType): CacheType {
  const circle: Record<CacheType, CacheType> = { f16: "q8_0", q8_0: "q4_0", q4_0: "f16" };
  return circle[current];
}
