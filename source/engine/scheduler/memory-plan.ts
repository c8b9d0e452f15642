// Estimates of a model's memory: weights, context windows and compute buffers.
import { formatMemory } from "../../base/formats.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { LoadSettings } from "../runner/load-settings.ts";

export interface MemoryNeed {
  weightsBytes: number;
  /** Bytes of all slots together. */
  cacheBytes: number;
  totalBytes: number;
}

export type CacheType = LoadSettings["kvCacheType"];

/** Settings that decide on the memory. */
type WindowSettings = Pick<LoadSettings, "contextLength" | "slots" | "kvCacheType" | "batchSize"> &
  Partial<Pick<LoadSettings, "draft" | "mtp">>;

/** Memory terms that do not depend on the window's length. */
export interface MemoryTerms {
  weightsBytes: number;
  /** Buffers of a step. */
  stepBytes: number;
  /** Buffers of a step, a draft model or MTP heads, and the program itself. */
  computeBytes: number;
  /** Bytes of one token in one slot's window. */
  cacheBytesPerToken: Record<CacheType, number>;
}

/** Bytes of one number in the context window; block formats include their scales. */
const bytesOfNumber: Record<CacheType, number> = {
  f16: 2,
  q8_0: 34 / 32,
  q4_0: 18 / 32,
};

/** Node itself, and the buffers of a step. */
const programBytes = 80 * 1024 ** 2;
/** Buffers of a step grow with the vocabulary (logits) and with the width of the model. */
const bytesOfStepNumber = 4;

/** Estimates from the file's metadata, without loading anything. */
export function memoryNeed(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: WindowSettings,
): MemoryNeed {
  const { weightsBytes, computeBytes } = memoryTerms(model, settings);
  const cacheBytes = cacheBytesOf(model.facts.cacheWidth, settings);
  return { weightsBytes, cacheBytes, totalBytes: weightsBytes + cacheBytes + computeBytes };
}

/** Returns the terms of `memoryNeed`, for callers that vary the window. */
export function memoryTerms(
  { facts, sizeBytes }: Pick<ResolvedModel, "facts" | "sizeBytes">,
  { slots, batchSize, draft, mtp }: Pick<WindowSettings, "slots" | "batchSize" | "draft" | "mtp">,
): MemoryTerms {
  const stepBytes =
    batchSize * facts.embeddingLength * bytesOfStepNumber * 4 +
    slots * facts.vocabularySize * bytesOfStepNumber;
  const cacheBytes = (kind: CacheType) => facts.cacheWidth * bytesOfNumber[kind];
  return {
    weightsBytes: weightsBytesOf({ facts, sizeBytes }),
    stepBytes,
    computeBytes: stepBytes + programBytes + (draft?.memoryBytes ?? 0) + (mtp?.memoryBytes ?? 0),
    cacheBytesPerToken: {
      f16: cacheBytes("f16"),
      q8_0: cacheBytes("q8_0"),
      q4_0: cacheBytes("q4_0"),
    },
  };
}

/** Returns the size of all the model's files. */
export function weightsBytesOf({
  facts,
  sizeBytes,
}: Pick<ResolvedModel, "facts" | "sizeBytes">): number {
  return Math.max(facts.fileSize, sizeBytes);
}

/** Estimates from the size alone, before the file is downloaded. */
export function roughMemoryNeed(weightsBytes: number): MemoryNeed {
  return { weightsBytes, cacheBytes: 0, totalBytes: weightsBytes + programBytes };
}

/** Returns the bytes of all slots' windows. @param cacheWidth see `GgufFacts` */
export function cacheBytesOf(
  cacheWidth: number,
  settings: Pick<LoadSettings, "contextLength" | "slots" | "kvCacheType">,
): number {
  const numbers = cacheWidth * settings.contextLength * settings.slots;
  return Math.ceil(numbers * bytesOfNumber[settings.kvCacheType]);
}

/** Memory that can be taken without swapping, within the limits of a container. */
export function freeMemoryBytes(): number {
  return process.availableMemory();
}

/** Returns one clause for the log that says if the model fits. */
export function fitSentence(need: MemoryNeed, freeBytes: number): string {
  const sizes = `needs about ${formatMemory(need.totalBytes)}, ${formatMemory(freeBytes)} free`;
  if (need.totalBytes <= freeBytes) return `${sizes}: fits`;
  if (need.totalBytes - need.weightsBytes <= freeBytes) {
    return `${sizes}: weights are read from the disk repeatedly, which is slow`;
  }
  return `${sizes}: the context window does not fit`;
}
