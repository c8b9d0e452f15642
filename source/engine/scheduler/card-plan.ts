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

/** What is free on the card, as the runners found it when they had loaded their models. */
export class CardMemory {
  #freeBytes: number | undefined;

  get freeBytes(): number | undefined {
    return this.#freeBytes;
  }

  /** An engine that cannot see what is free tells at least what it took. */
  noteLoaded({ device, memory }: Pick<RunnerFacts, "device" | "memory">): void {
    if (device.memory !== undefined) this.#freeBytes = device.memory.freeBytes;
    else if (this.#freeBytes !== undefined) this.#freeBytes -= memory.vramBytes;
  }

  /** The process of a model has ended: what it held is free again. */
  noteGone({ memory }: Pick<RunnerFacts, "memory">): void {
    if (this.#freeBytes !== undefined) this.#freeBytes += memory.vramBytes;
  }
}
