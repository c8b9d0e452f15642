// Memory check before a load, on the graphics card or in the machine's memory, and its log line.

import { formatMemory } from "../../base/formats.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { RunnerFacts } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { cardReserveBytes } from "../text/fit-layers.ts";
import { fitSentence, memoryNeed } from "./memory-plan.ts";
import { offCardShare } from "./placement-plan.ts";

/** Memory that a model will take. */
export interface RoomNeed {
  totalBytes: number;
  /** Part of the total that goes on the card; 0 without a card. */
  cardBytes: number;
}

/** Memory that is free now. */
export interface FreeRoom {
  memoryBytes: number;
  /** Undefined without a card, or for a card without memory of its own. */
  cardBytes: number | undefined;
}

/** Estimates the need; layers and experts that a request keeps off the card are not counted to the card. */
export function roomNeed(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
): RoomNeed {
  const { totalBytes, weightsBytes } = memoryNeed(model, settings);
  const layers = settings.layers + 1;
  const share = settings.device === "cpu" ? 0 : (settings.gpuLayers ?? layers) / layers;
  const expertBytes = weightsBytes * offCardShare(model, settings.placement);
  return { totalBytes, cardBytes: (totalBytes - expertBytes) * Math.min(1, share) };
}

/**
 * Returns the kind of memory that is short, or undefined when the model can be loaded.
 *
 * @param loading needs of models that are being loaded, which `free` does not reflect yet
 * @param canClearCard an idle model is on the card: unload it rather than compute a part of this
 *   one on the CPU
 */
export function shortageOf(
  need: RoomNeed,
  free: FreeRoom,
  loading: readonly RoomNeed[],
  canClearCard: boolean,
): "card" | "memory" | undefined {
  const roomBytes = free.cardBytes === undefined ? 0 : free.cardBytes - cardReserveBytes;
  const sum = (field: keyof RoomNeed) => loading.reduce((total, other) => total + other[field], 0);
  const takenBytes = Math.min(sum("cardBytes"), Math.max(0, roomBytes));
  const leftBytes = Math.max(0, roomBytes - takenBytes);
  if (free.cardBytes !== undefined && canClearCard && need.cardBytes > leftBytes) return "card";
  const inMemoryBytes = need.totalBytes - Math.min(need.cardBytes, leftBytes);
  const loadingBytes = sum("totalBytes") - takenBytes;
  return inMemoryBytes + loadingBytes <= free.memoryBytes ? undefined : "memory";
}

/** Reads the free bytes on the machine's cards; undefined when there are none. */
export type CardReader = () => Promise<number | undefined>;

/**
 * Free memory of the card: from the vendor's tool before the first model is loaded, afterwards from
 * the runners' reports after loading.
 */
export class CardMemory {
  #freeBytes: number | undefined;
  readonly #read: CardReader | undefined;
  #reading: Promise<void> | undefined;
  /** A runner has reported, which is more precise. */
  #isKnown = false;

  /** @param read undefined: nothing is known before a runner reports */
  constructor(read?: CardReader) {
    this.#read = read;
  }

  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  /** Reads the card's free memory, once. */
  async refresh(): Promise<void> {
    this.#reading ??= this.#readOnce();
    await this.#reading;
  }

  /** Notes the reported free memory, or subtracts the model's from an engine that cannot see it. */
  noteLoaded({ device, memory }: Pick<RunnerFacts, "device" | "memory">): void {
    const isFirst = !this.#isKnown;
    this.#isKnown = true;
    if (device.memory !== undefined) this.#freeBytes = device.memory.freeBytes;
    // There is a card, but no engine can use it.
    else if (isFirst && device.kind === "cpu") this.#freeBytes = undefined;
    else if (this.#freeBytes !== undefined) this.#freeBytes -= memory.vramBytes;
  }

  /** Adds back the memory of a model whose process has ended. */
  noteGone({ memory }: Pick<RunnerFacts, "memory">): void {
    if (this.#freeBytes !== undefined) this.#freeBytes += memory.vramBytes;
  }

  async #readOnce(): Promise<void> {
    const freeBytes = await this.#read?.();
    if (!this.#isKnown) this.#freeBytes = freeBytes;
  }
}

/**
 * Log line before a load: the memory that the model needs, and the free memory.
 *
 * @param slots configured number of slots
 */
export function loadSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
  slots: number,
): string {
  const parts = [roomSentence(model, settings, free), windowSentence(settings)];
  if (settings.slidingWindow > 0) parts.push(slidingText(settings));
  if (settings.slots !== slots) {
    parts.push(`room for ${settings.slots} of ${slots} parallel requests`);
  }
  return parts.join("; ");
}

/** `window of 8192 tokens, limited by ...` */
function windowSentence({ contextLength, windowLimit }: LoadSettings): string {
  return `window of ${contextLength} tokens, limited by ${windowLimit}`;
}

function slidingText({ keepsWholeWindow, slidingWindow }: LoadSettings): string {
  return keepsWholeWindow
    ? `layers with a sliding window of ${slidingWindow} tokens keep all tokens, which takes little memory`
    : `layers with a sliding window keep ${slidingWindow} tokens`;
}

/** Returns the free memory in brackets, or nothing without a card. */
export function cardText(freeBytes: number | undefined): string {
  return freeBytes === undefined ? "" : ` (${formatMemory(freeBytes)} free on the card)`;
}

/** Says if the model fits, on the card or in the machine's memory. */
export function roomSentence(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
  free: FreeRoom,
): string {
  const room = roomNeed(model, settings);
  const usesCard = free.cardBytes !== undefined && room.cardBytes > 0;
  if (usesCard && shortageOf(room, free, [], false) === undefined) {
    return `needs about ${formatMemory(room.totalBytes)}: fits${cardText(free.cardBytes)}`;
  }
  return fitSentence(memoryNeed(model, settings), free.memoryBytes) + cardText(free.cardBytes);
}
