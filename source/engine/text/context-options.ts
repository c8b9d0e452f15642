// Options of a model's context window, the kind of its memory, and budgets for saving parts of it.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonContext, AddonContextOptions, AddonModel } from "./addon.ts";
import type { MemoryKind } from "./sequence-memory.ts";

// llama.cpp rounds a sequence's window up to this.
const windowStep = 256;

/** Options for the real context, and for measuring its memory. */
export function contextOptions(addon: Addon, settings: LoadSettings): AddonContextOptions {
  const window = Math.ceil(settings.contextLength / windowStep) * windowStep;
  const cacheType = addon.getGgmlType(settings.kvCacheType);
  return {
    contextSize: window * settings.slots,
    batchSize: settings.batchSize,
    sequences: settings.slots,
    flashAttention: settings.flashAttention,
    // Useless with recurrent states, which cannot be cut.
    swaFullCache: settings.keepsWholeWindow && !isRecurrent(addon, settings.architecture),
    threads: settings.threads ?? addon.getMathCores(),
    ...(settings.kvCacheType !== "f16" &&
      cacheType !== undefined && { kvCacheKeyType: cacheType, kvCacheValueType: cacheType }),
  };
}

/** Returns true if a model has recurrent states, alone or beside attention. */
export function isRecurrent(addon: Addon, architecture: string): boolean {
  return Boolean(addon.getIsArchRecurrent(architecture) || addon.getIsArchHybrid(architecture));
}

export function memoryKindOf(
  { addon }: { addon: Addon },
  { architecture, slidingWindow }: LoadSettings,
): MemoryKind {
  return {
    isRecurrent: isRecurrent(addon, architecture),
    slidingWindow,
  };
}

/** Checkpoints may take this share of the memory of model and windows, or this minimum. */
const checkpointShare = 0.25;
const leastCheckpointBytes = 64 * 2 ** 20;

/** Size of llama-server's cache of idle slots, limited to a share of the free memory. */
const largestConversationCache = 8 * 2 ** 30;
const conversationCacheShare = 0.25;

/** Bytes for saved conversations. */
export function conversationBudget(): number {
  return Math.min(largestConversationCache, process.availableMemory() * conversationCacheShare);
}

/** Bytes for checkpoints. */
export function checkpointBudget({
  model,
  context,
}: {
  model: AddonModel;
  context: AddonContext;
}): number {
  const taken = [model.getMemoryBreakdown(), context.getMemoryBreakdown()];
  const bytes = taken.reduce((sum, { cpuRam, gpuVram }) => sum + cpuRam + gpuVram, 0);
  return Math.max(leastCheckpointBytes, bytes * checkpointShare);
}
