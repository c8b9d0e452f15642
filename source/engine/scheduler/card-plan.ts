// Whether a model finds room: on the graphics card as a whole, or in the machine's memory.
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { RunnerFacts } from "../generation.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { cardReserveBytes } from "../text/fit-layers.ts";
import { memoryNeed } from "./memory-plan.ts";

/** What a model will take, of the card and altogether. */
export interface RoomNeed {
  totalBytes: number;
  /** The part of it that shall be on the card; 0 where the card is not used. */
  cardBytes: number;
}

/** What is free now. */
export interface FreeRoom {
  memoryBytes: number;
  /** Undefined where there is no card, or none of its own memory. */
  cardBytes: number | undefined;
}

/** An estimate; layers that a request keeps off the card are not counted to it. */
export function roomNeed(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: LoadSettings,
): RoomNeed {
  const { totalBytes } = memoryNeed(model, settings);
  const layers = settings.layers + 1;
  const share = settings.device === "cpu" ? 0 : (settings.gpuLayers ?? layers) / layers;
  return { totalBytes, cardBytes: totalBytes * Math.min(1, share) };
}

/**
 * What the weights leave for context windows in the memory where the model will be: on the card where it
 * finds room as a whole. A larger window would otherwise push layers from the card to the CPU.
 *
 * @returns bytes; below 0 where not even the weights fit
 */
export function roomForWindows(
  { facts, sizeBytes }: Pick<ResolvedModel, "facts" | "sizeBytes">,
  { device, gpuLayers }: Pick<LoadSettings, "device" | "gpuLayers">,
  { memoryBytes, cardBytes: freeCardBytes = 0 }: FreeRoom,
): number {
  const weightsBytes = Math.max(facts.fileSize, sizeBytes);
  const cardBytes = device === "cpu" ? 0 : Math.max(0, freeCardBytes - cardReserveBytes);
  if (cardBytes === 0) return memoryBytes - weightsBytes;
  if (gpuLayers === undefined) {
    return (weightsBytes <= cardBytes ? 0 : memoryBytes) + cardBytes - weightsBytes;
  }
  // Weights and windows are divided alike: the side that is full first says how much there may be.
  const share = Math.min(1, gpuLayers / (facts.layers + 1));
  return Math.min(cardBytes / share, memoryBytes / (1 - share)) - weightsBytes;
}

/**
 * What a model lacks, or undefined when it can be loaded.
 *
 * @param loading what those take that are being loaded: it is not gone from the free room yet
 * @param canClearCard an idle model is on the card: before a part of this one is computed by the CPU,
 *   that one shall leave
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

/** Tells what is free on the cards of the machine, in bytes; undefined where there are none. */
export type CardReader = () => Promise<number | undefined>;

/**
 * What is free on the card: as its maker's tool tells it before the first model is loaded, afterwards as
 * the runners found it when they had loaded theirs.
 */
export class CardMemory {
  #freeBytes: number | undefined;
  readonly #read: CardReader | undefined;
  #reading: Promise<void> | undefined;
  /** A runner has been heard of: it knows better. */
  #isKnown = false;

  /** @param read undefined: nothing is known before a runner tells */
  constructor(read?: CardReader) {
    this.#read = read;
  }

  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  /** Has the card looked at, once. */
  async look(): Promise<void> {
    this.#reading ??= this.#readOnce();
    await this.#reading;
  }

  /** An engine that cannot see what is free tells at least what it took. */
  noteLoaded({ device, memory }: Pick<RunnerFacts, "device" | "memory">): void {
    const isFirst = !this.#isKnown;
    this.#isKnown = true;
    if (device.memory !== undefined) this.#freeBytes = device.memory.freeBytes;
    // There is a card, but no engine that can use it.
    else if (isFirst && device.kind === "cpu") this.#freeBytes = undefined;
    else if (this.#freeBytes !== undefined) this.#freeBytes -= memory.vramBytes;
  }

  /** The process of a model has ended: what it held is free again. */
  noteGone({ memory }: Pick<RunnerFacts, "memory">): void {
    if (this.#freeBytes !== undefined) this.#freeBytes += memory.vramBytes;
  }

  async #readOnce(): Promise<void> {
    const freeBytes = await this.#read?.();
    if (!this.#isKnown) this.#freeBytes = freeBytes;
  }
}
