// The kind of memory that a loaded model has, and the budgets for keeping parts of it.
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

/** Checkpoints may take this share of what the model and its windows take, and at least so much. */
const checkpointShare = 0.25;
const leastCheckpointBytes = 64 * 2 ** 20;

/** As llama-server's cache of idle slots, but no more than a share of what is free. */
const largestConversationCache = 8 * 2 ** 30;
const conversationCacheShare = 0.25;

/** In bytes. */
export function conversationBudget(): number {
  return Math.min(largestConversationCache, process.availableMemory() * conversationCacheShare);
}

/** In bytes. */
export function checkpointBudget({ model, context }: LoadedTextModel): number {
  const taken = [model.getMemoryBreakdown(), context.getMemoryBreakdown()];
  const bytes = taken.reduce((sum, { cpuRam, gpuVram }) => sum + cpuRam + gpuVram, 0);
  return Math.max(leastCheckpointBytes, bytes * checkpointShare);
}
