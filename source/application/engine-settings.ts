// The settings that models are loaded with.
import type { ProductPaths } from "../configuration/paths.ts";
import type { Settings } from "../configuration/settings.ts";
import type { PromptCacheSettings } from "../engine/runner/load-settings.ts";
import type { EngineSettings } from "../engine/scheduler/load-plan.ts";
import { promptCacheFolder } from "./prompt-cache.ts";

/** @param folders undefined where nothing is to be kept on disk */
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
    prefillChunk: settings.prefill_chunk,
    mixedBatches: settings.mixed_batches,
    lookupTokens: settings.lookup_tokens,
    prefixSharing: settings.prefix_sharing,
    conversationCacheBytes: settings.conversation_cache,
    promptCache: folders && promptCache(settings, folders),
    maximumQueue: settings.max_queue,
  };
}

/** @returns undefined where prompts are not stored */
function promptCache(
  settings: Settings,
  folders: Pick<ProductPaths, "cache">,
): PromptCacheSettings | undefined {
  if (settings.prompt_cache === 0 || settings.nohistory) return undefined;
  return promptHousekeeping(settings, folders);
}

/** With no room at all for stored prompts, existing ones are removed. */
export function promptHousekeeping(
  { prompt_cache: budgetBytes, prompt_cache_age: ageMs }: Settings,
  folders: Pick<ProductPaths, "cache">,
): PromptCacheSettings {
  const maximumAgeMs = ageMs === Number.POSITIVE_INFINITY ? undefined : ageMs;
  return { folder: promptCacheFolder(folders), budgetBytes, maximumAgeMs };
}
