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

/** Memory terms that do not depend on the window's length. */
export interface MemoryTerms {
  weightsBytes: number;
  /** Buffers of a step, and the program itself. */
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
  settings: Pick<LoadSettings, "contextLength" | "slots" | "kvCacheType" | "batchSize">,
): MemoryNeed {
  const { weightsBytes, computeBytes } = memoryTerms(model, settings);
  const cacheBytes = cacheBytesOf(model.facts.cacheWidth, settings);
  return { weightsBytes, cacheBytes, totalBytes: weightsBytes + cacheBytes + computeBytes };
}

/** Returns the terms of `memoryNeed`, for callers that vary the window. */
export function memoryTerms(
  { facts, sizeBytes }: Pick<ResolvedModel, "facts" | "sizeBytes">,
  { slots, batchSize }: Pick<LoadSettings, "slots" | "batchSize">,
): MemoryTerms {
  const stepBytes =
    batchSize * facts.embeddingLength * bytesOfStepNumber * 4 +
    slots * facts.vocabularySize * bytesOfStepNumber;
  const cacheBytes = (kind: CacheType) => facts.cacheWidth * bytesOfNumber[kind];
  return {
    weightsBytes: Math.max(facts.fileSize, sizeBytes),
    computeBytes: stepBytes + programBytes,
    cacheBytesPerToken: {
      f16: cacheBytes("f16"),
      q8_0: cacheBytes("q8_0"),
      q4_0: cacheBytes("q4_0"),
    },
  };
}

/** Estimates from the size alone, before the file is downloaded. */
export function roughMemoryNeed(weightsBytes: number): MemoryNeed {
  return { weightsBytes, cacheBytes: 0, totalBytes: weightsBytes + programBytes };
}

function cacheBytesOf(
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

/** Automatic window lengths, in tokens. */
const automaticWindows = [32_768, 16_384, 8192];
const usualWindow = 4096;
/** Automatic windows may take this share of the memory that the weights leave. */
const automaticShare = 0.25;

/**
 * Window of a slot when neither the request nor the settings name one: as large as is useful and
 * cheap, at least 4096 tokens, at most what the model was trained for.
 *
 * @param leftBytes memory that the weights leave, where the window will be
 */
export function automaticContextLength(
  { facts }: Pick<ResolvedModel, "facts">,
  settings: Pick<LoadSettings, "slots" | "kvCacheType">,
  leftBytes: number,
): number {
  const trained = facts.trainedContextLength;
  const fitting = automaticWindows.find(
    (contextLength) =>
      contextLength <= trained &&
      cacheBytesOf(facts.cacheWidth, { ...settings, contextLength }) <= leftBytes * automaticShare,
  );
  return Math.min(trained, fitting ?? usualWindow);
}

/**
 * Returns as many slots as have room for their windows, at least one, at most those configured.
 *
 * @param leftBytes memory that the weights leave, where the windows will be
 */
export function fittingSlots(
  model: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: Pick<LoadSettings, "contextLength" | "slots" | "kvCacheType" | "batchSize">,
  leftBytes: number,
): number {
  const windowBytes = cacheBytesOf(model.facts.cacheWidth, { ...settings, slots: 1 });
  if (windowBytes === 0) return settings.slots;
  const roomBytes = leftBytes - memoryTerms(model, settings).computeBytes;
  return Math.max(1, Math.min(settings.slots, Math.floor(roomBytes / windowBytes)));
}

/** Limit of the memory that a sliding window keeps beyond itself: a share of the weights, or a minimum. */
const wholeWindowShare = 0.25;
const leastWholeWindowBytes = 64 * 1024 ** 2;

/**
 * Most bytes that all slots together take if layers with a sliding window keep all tokens, as other
 * layers do: a prompt is then read again only from where it differs. The file does not say how many
 * layers have such a window, so all are counted.
 *
 * @returns undefined when no layer has one, or when it takes too much memory
 */
export function wholeWindowBytes(
  { facts, sizeBytes }: Pick<ResolvedModel, "facts" | "sizeBytes">,
  settings: Pick<LoadSettings, "contextLength" | "slots" | "kvCacheType" | "batchSize">,
  leftBytes: number,
): number | undefined {
  if (facts.slidingWindow === 0) return undefined;
  const dropped = settings.contextLength - facts.slidingWindow - settings.batchSize;
  const bytes = cacheBytesOf(facts.cacheWidth, {
    ...settings,
    contextLength: Math.max(0, dropped),
  });
  const weightsBytes = Math.max(facts.fileSize, sizeBytes);
  const most = Math.max(leastWholeWindowBytes, weightsBytes * wholeWindowShare);
  return bytes <= Math.min(most, leftBytes * automaticShare) ? bytes : undefined;
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
