// Settings for loading models.
import type { ProductPaths } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import type { PromptCacheSettings } from "../../engine/runner/load-settings.ts";
import type { EngineSettings } from "../../engine/scheduler/load-plan.ts";
import { promptCacheFolder } from "../models/prompt-cache.ts";

/** @param folders undefined: prompts are not stored on disk */
export function engineSettings(
  settings: Settings,
  folders?: Pick<ProductPaths, "cache">,
): EngineSettings {
  return {
    device: settings.gpu,
    slots: settings.num_parallel,
    contextLength: settings.context_length,
    threads: settings.num_thread,
    flashAttention: settings.flash_attention,
    kvCacheType: settings.kv_cache_type,
    unifiedCache: settings.kv_unified,
    splitMode: settings.split_mode,
    tensorSplit: settings.tensor_split,
    prefillChunk: settings.prefill_chunk,
    mixedBatches: settings.mixed_batches,
    lookupTokens: settings.lookup_tokens,
    prefixSharing: settings.prefix_sharing,
    conversationCacheBytes: settings.conversation_cache,
    promptCache: folders && promptCache(settings, folders),
    maxQueue: settings.max_queue,
  };
}

/** Returns undefined if prompts are not stored. */
function promptCache(
  settings: Settings,
  folders: Pick<ProductPaths, "cache">,
): PromptCacheSettings | undefined {
  if (settings.prompt_cache === 0 || settings.nohistory) return undefined;
  return promptHousekeeping(settings, folders);
}

/** Returns limits for stored prompts; a budget of 0 removes existing ones. */
export function promptHousekeeping(
  { prompt_cache: budgetBytes, prompt_cache_age: ageMs }: Settings,
  folders: Pick<ProductPaths, "cache">,
): PromptCacheSettings {
  const maxAgeMs = ageMs === Number.POSITIVE_INFINITY ? undefined : ageMs;
  return { folder: promptCacheFolder(folders), budgetBytes, maxAgeMs };
}
