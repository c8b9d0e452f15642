// Options of a model's context window, for the real one and for measuring its memory.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonContextOptions } from "./addon.ts";

// llama.cpp rounds a sequence's window up to this.
const windowStep = 256;

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
