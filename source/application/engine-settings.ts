// The settings that models are loaded with.
import type { Settings } from "../configuration/settings.ts";
import type { EngineSettings } from "../engine/scheduler/load-plan.ts";

export function engineSettings(settings: Settings): EngineSettings {
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
    maximumQueue: settings.max_queue,
  };
}
