// Ranks models for a machine: what fits, answers fast enough, and is large, new and much used.
import type { KnownRate } from "../../../base/quantities.ts";
import type { DeviceSpeed } from "../../speed/expected-speed.ts";
import { expectedSpeed, middleOf } from "../../speed/expected-speed.ts";
import { modelKey, type SuitableModel } from "./suitable-model.ts";

export const purposes = ["best", "fast", "code", "vision", "embeddings"] as const;
export type Purpose = (typeof purposes)[number];

/** Machine that models would run on. Bytes. */
export interface Machine {
  memoryBytes: number;
  /** Free memory of its graphics cards; undefined without one that can be used. */
  cardBytes: number | undefined;
  /** Undefined if the system does not report it. */
  diskBytes: number | undefined;
  cpu: DeviceSpeed | undefined;
  /** Undefined until a model on the card has answered. */
  gpu: DeviceSpeed | undefined;
}

export interface RankedModel {
  purpose: Purpose;
  model: SuitableModel;
  /** With a window of 8,192 tokens. */
  memoryBytes: number;
  speed: KnownRate;
  diskAfterBytes: number | undefined;
}

/** Window that memory is counted for. */
export const countedWindow = 8192;
/** The system and other programs keep the rest. */
const comfortableShare = 0.8;
/** Space that a disk keeps. */
const leastDiskBytes = 1e9;
const leastTokensPerSecond = 8;
const fastTokensPerSecond = 25;
const embeddingShare = 0.25;
/** The hub does not tell the layers; large models have more, whose time hardly counts beside the reading. */
const usualLayers = 28;
const programBytes = 250 * 1024 ** 2;
/** Holds for an 8 B model with grouped heads; it grows with the square root of the parameters. */
const windowTokenBytes = 128 * 1024;
const yearMs = 365 * 24 * 3_600_000;

export function memoryOf({ sizeBytes, parameterCount }: SuitableModel): number {
  const tokenBytes = windowTokenBytes * Math.sqrt(parameterCount / 8e9);
  return sizeBytes + tokenBytes * countedWindow + programBytes;
}

/** Returns the expected speed of a model; empty if nothing is known of its device. */
export function speedOn(model: SuitableModel, machine: Machine): KnownRate {
  const device = memoryOf(model) <= (machine.cardBytes ?? 0) ? "gpu" : "cpu";
  const known = machine[device];
  const activeBytes = model.sizeBytes * (model.activeCount / model.parameterCount);
  const weights = { activeBytes, layers: usualLayers };
  return known === undefined ? {} : { expected: expectedSpeed(weights, known, device) };
}

/**
 * Returns how good a model is likely to be: more parameters, more downloads, newer. A doubling of the
 * parameters weighs as much as a year and a half, or thirty times the downloads.
 */
export function scoreOf(model: SuitableModel, nowMs: number): number {
  // A mixture of experts is as good as a model between its active and all parameters.
  const billions = Math.sqrt(model.parameterCount * model.activeCount) / 1e9;
  const years = Math.max(0, nowMs - model.updatedMs) / yearMs;
  return Math.log2(billions) + 0.2 * Math.log2(1 + model.downloads) - 0.66 * years;
}

/**
 * Returns the best models of a purpose, best first, each model once whoever publishes it.
 *
 * @param nowMs since 1970
 */
export function rankFor(
  purpose: Purpose,
  models: readonly SuitableModel[],
  machine: Machine,
  nowMs: number,
): RankedModel[] {
  const known = new Set<string>();
  return models
    .filter((model) => isFor(purpose, model))
    .map((model) => ({
      purpose,
      model,
      memoryBytes: memoryOf(model),
      speed: speedOn(model, machine),
      diskAfterBytes:
        machine.diskBytes === undefined ? undefined : machine.diskBytes - model.sizeBytes,
    }))
    .filter((ranked) => isComfortable(ranked, machine))
    .toSorted((one, other) => scoreOf(other.model, nowMs) - scoreOf(one.model, nowMs))
    .filter(({ model: { repo } }) => {
      const key = modelKey(repo);
      return !known.has(key) && known.add(key);
    });
}

/** Returns the first model of each purpose that no earlier purpose has taken. */
export function recommendedOf(
  models: readonly SuitableModel[],
  machine: Machine,
  nowMs: number,
): RankedModel[] {
  const taken = new Set<string>();
  return purposes.flatMap((purpose) => {
    const found = rankFor(purpose, models, machine, nowMs).find(
      ({ model }) => !taken.has(modelKey(model.repo)),
    );
    if (found === undefined) return [];
    taken.add(modelKey(found.model.repo));
    return [found];
  });
}

/** Returns why nothing fits, with what the smallest model would need; undefined without any model. */
export function reasonForNone(
  models: readonly SuitableModel[],
  machine: Machine,
): { short: "disk" | "memory" | "speed"; smallest: SuitableModel } | undefined {
  const smallest = models
    .filter(({ abilities }) => !abilities.includes("embeddings"))
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes)[0];
  if (smallest === undefined) return undefined;
  if (memoryOf(smallest) > roomOf(machine)) return { short: "memory", smallest };
  return { short: hasDisk(smallest, machine) ? "speed" : "disk", smallest };
}

function isFor(purpose: Purpose, { abilities }: SuitableModel): boolean {
  switch (purpose) {
    case "best":
    case "fast":
      return abilities.includes("chat");
    case "code":
      return abilities.includes("code") && abilities.includes("tools");
    default:
      return abilities.includes(purpose);
  }
}

function isComfortable({ purpose, model, memoryBytes, speed }: RankedModel, machine: Machine) {
  const share = purpose === "embeddings" ? embeddingShare : 1;
  if (memoryBytes > roomOf(machine) * share || !hasDisk(model, machine)) return false;
  const least = purpose === "fast" ? fastTokensPerSecond : leastTokensPerSecond;
  if (speed.expected !== undefined) return middleOf(speed.expected) >= least;
  // Nothing is known of the device: a fast model is a small one.
  return purpose !== "fast" || memoryBytes <= roomOf(machine) / 4;
}

function roomOf({ memoryBytes, cardBytes = 0 }: Machine): number {
  return Math.max(memoryBytes * comfortableShare, cardBytes);
}

function hasDisk({ sizeBytes }: SuitableModel, { diskBytes }: Machine): boolean {
  return diskBytes === undefined || sizeBytes + leastDiskBytes <= diskBytes;
}
