// Plan of a model's context windows: their length, their number, and what limits them.
import { formatMemory } from "../../base/formats.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { LoadSettings } from "../runner/load-settings.ts";
import { cardReserveBytes } from "../text/fit-layers.ts";
import type { FreeRoom } from "./card-plan.ts";
import { cacheBytesOf, memoryTerms, weightsBytesOf } from "./memory-plan.ts";
import { offCardShare } from "./placement-plan.ts";

type PlannedModel = Pick<ResolvedModel, "facts" | "sizeBytes">;
type Settings = Pick<LoadSettings, "slots" | "kvCacheType" | "batchSize"> &
  Partial<Pick<LoadSettings, "draft" | "mtp">>;

/**
 * Memory that holds the windows. `card`: all layers are on a graphics card. `split`: some of them.
 * `shared`: on a GPU that uses the machine's memory. `memory`: on the CPU.
 */
export interface WindowRoom {
  place: "card" | "split" | "shared" | "memory";
  /** Bytes that the weights leave there; below 0 if the weights themselves do not fit. */
  leftBytes: number;
  /** Free bytes on the card, without its reserve. */
  cardBytes: number;
}

/** Finds the card's memory if the weights fit there, as larger windows would push layers from it. */
export function windowRoom(
  { facts, sizeBytes }: PlannedModel,
  { device, gpuLayers, placement }: Pick<LoadSettings, "device" | "gpuLayers" | "placement">,
  { memoryBytes, cardBytes: freeCardBytes }: FreeRoom,
): WindowRoom {
  const weightsBytes = weightsBytesOf({ facts, sizeBytes });
  const isOnCpu = gpuLayers === 0 || computesOnCpu(device, freeCardBytes);
  const cardBytes = isOnCpu ? 0 : Math.max(0, (freeCardBytes ?? 0) - cardReserveBytes);
  const leftBytes = memoryBytes - weightsBytes;
  if (cardBytes === 0) {
    const isShared = !isOnCpu && freeCardBytes === undefined;
    return { place: isShared ? "shared" : "memory", leftBytes, cardBytes };
  }
  if (gpuLayers === undefined) {
    const onCardBytes = weightsBytes * (1 - offCardShare({ facts }, placement));
    return onCardBytes <= cardBytes
      ? { place: "card", leftBytes: cardBytes - onCardBytes, cardBytes }
      : { place: "split", leftBytes: leftBytes + cardBytes, cardBytes };
  }
  // Weights and windows are split alike: the side that fills up first sets the limit.
  const share = Math.min(1, gpuLayers / (facts.layers + 1));
  return {
    place: share < 1 ? "split" : "card",
    leftBytes: Math.min(cardBytes / share, memoryBytes / (1 - share)) - weightsBytes,
    cardBytes,
  };
}

/** @param cardBytes free memory of the cards; undefined without one; Apple's has none of its own to report */
export function computesOnCpu(
  device: LoadSettings["device"],
  cardBytes: number | undefined,
  platform: NodeJS.Platform = process.platform,
): boolean {
  return (
    device === "cpu" || (device === "auto" && cardBytes === undefined && platform !== "darwin")
  );
}

/** Shortest automatic window, unless the model was trained for less. */
const leastWindow = 4096;

const shortMemory = `short memory; automatic windows have at least ${leastWindow} tokens`;

/** Share of the memory beside the weights that automatic windows take together. */
const cardShare = 1 / 2;
const memoryShare = 1 / 4;
/** Windows take no more of the machine's memory than the weights, or this, as all of it is written at a load. */
const leastMemoryBytes = 1024 ** 3;

/** A number of bytes for automatic windows, and its name. */
interface Limit {
  bytes: number;
  text: string;
}

/**
 * Limits the memory of automatic windows, see docs/decisions/0035-automatic-windows.md.
 *
 * @param leftBytes memory that weights and steps leave
 */
function limitOf({ place, cardBytes }: WindowRoom, leftBytes: number, weightsBytes: number): Limit {
  const left = formatMemory(leftBytes);
  if (place === "card") {
    return {
      bytes: leftBytes * cardShare,
      text: `half of the ${left} that the weights leave on the GPU`,
    };
  }
  const share = {
    bytes: leftBytes * memoryShare,
    text: `a quarter of the ${left} that the weights leave`,
  };
  if (place === "shared") return share;
  const maxBytes = Math.max(leastMemoryBytes, weightsBytes);
  const other =
    place === "split"
      ? {
          bytes: cardBytes * memoryShare,
          text: "a quarter of the GPU's free memory, which the layers need",
        }
      : {
          bytes: maxBytes,
          text: `the time to load: windows in the machine's memory take at most ${formatMemory(maxBytes)}`,
        };
  return other.bytes < share.bytes ? other : share;
}

/** Settings of a load that concern its windows. */
export type WindowPlan = Pick<
  LoadSettings,
  "contextLength" | "slots" | "windowRoomTokens" | "windowLimit"
>;

/**
 * Chooses the length of a window that neither a request nor the settings name: the longest that fits
 * for all slots, of a few lengths, since prompts stored on disk belong to one. Slots are fewer only if
 * even the shortest window has no room for all of them.
 *
 * @param settings `slots`: most slots
 * @param given window that was asked for, and by whom; undefined chooses one
 */
export function planWindows(
  model: PlannedModel,
  settings: Settings,
  room: WindowRoom,
  given?: { contextLength: number; by: string },
): WindowPlan {
  const { facts } = model;
  const trained = facts.trainedContextLength;
  const bytesOf = (contextLength: number, slots: number) =>
    cacheBytesOf(facts.cacheWidth, { ...settings, contextLength, slots });
  const leftBytes = Math.max(0, room.leftBytes - stepBytes(model, settings, room));
  const { bytes, text } = limitOf(room, leftBytes, weightsBytesOf(model));
  const fitting = windowLengths(trained).find((length) => bytesOf(length, settings.slots) <= bytes);
  const contextLength = given?.contextLength ?? fitting ?? Math.min(trained, leastWindow);
  const reason = () => {
    if (contextLength >= trained) return "the model's training";
    if (given !== undefined) return given.by;
    return fitting === undefined ? shortMemory : text;
  };
  const tokenBytes = bytesOf(1, 1);
  return {
    contextLength,
    slots: slotsIn(leftBytes, bytesOf(contextLength, 1), settings.slots),
    // Not below the windows that are loaded whatever the estimate.
    windowRoomTokens: Math.max(
      contextLength,
      tokenBytes === 0 ? trained * settings.slots : Math.floor(leftBytes / tokenBytes),
    ),
    windowLimit: reason(),
  };
}

/** Returns as many slots as have room for their windows, at least one. */
function slotsIn(leftBytes: number, windowBytes: number, most: number): number {
  if (windowBytes === 0) return most;
  return Math.max(1, Math.min(most, Math.floor(leftBytes / windowBytes)));
}

/**
 * Returns the bytes of a step's buffers. On a card, llama.cpp takes memory for the logits of every
 * token of a step; the machine's memory is taken when it is written, which needs those of few.
 */
export function stepBytes(
  model: PlannedModel,
  settings: Pick<Settings, "slots" | "batchSize" | "draft" | "mtp">,
  { place }: Pick<WindowRoom, "place">,
): number {
  const { computeBytes } = memoryTerms(model, settings);
  const logitsBytes = settings.batchSize * model.facts.vocabularySize * 4;
  return computeBytes + (place === "card" ? logitsBytes : 0);
}

/** Returns the lengths of automatic windows, longest first: the model's own, and 1 and 1.5 times powers of two. */
function windowLengths(trained: number): number[] {
  const lengths: number[] = [];
  for (let length = leastWindow; length < trained; length *= 2) {
    lengths.push(length);
    if (length * 1.5 < trained) lengths.push(length * 1.5);
  }
  return [...lengths, trained].reverse();
}

/** Limit of the memory that a sliding window keeps beyond itself: a share of the weights, or a minimum. */
const wholeWindowShare = 0.25;
const leastWholeWindowBytes = 64 * 1024 ** 2;

/**
 * Most bytes that all slots together take if layers with a sliding window keep all tokens, as other
 * layers do: a prompt is then read again only from where it differs. The file does not say how many
 * layers have such a window, so all are counted.
 *
 * @param leftBytes memory that the weights leave, where the windows will be
 * @returns undefined when no layer has one, or when it takes too much memory
 */
export function wholeWindowBytes(
  model: PlannedModel,
  settings: Settings & Pick<LoadSettings, "contextLength">,
  leftBytes: number,
): number | undefined {
  const { facts } = model;
  if (facts.slidingWindow === 0) return undefined;
  const dropped = settings.contextLength - facts.slidingWindow - settings.batchSize;
  const contextLength = Math.max(0, dropped);
  const bytes = cacheBytesOf(facts.cacheWidth, { ...settings, contextLength });
  const most = Math.max(leastWholeWindowBytes, weightsBytesOf(model) * wholeWindowShare);
  return bytes <= Math.min(most, leftBytes * memoryShare) ? bytes : undefined;
}
