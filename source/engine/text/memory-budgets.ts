// Kind of a loaded model's memory, and the budgets for saving parts of it.
import type { LoadSettings } from "../runner/load-settings.ts";
import { isRecurrent } from "./context-options.ts";
import type { LoadedTextModel } from "./load-text-model.ts";
import type { MemoryKind } from "./sequence-memory.ts";

export function memoryKindOf(
  { addon }: LoadedTextModel,
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
export function checkpointBudget({ model, context }: LoadedTextModel): number {
  const taken = [model.getMemoryBreakdown(), context.getMemoryBreakdown()];
  const bytes = taken.reduce((sum, { cpuRam, gpuVram }) => sum + cpuRam + gpuVram, 0);
  return Math.max(leastCheckpointBytes, bytes * checkpointShare);
}
