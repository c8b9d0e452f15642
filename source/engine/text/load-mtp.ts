// Loading of a model's MTP heads. Heads that cannot be used are left out with one sentence.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonContext, AddonModel } from "./addon.ts";
import type { LoadedDraft } from "./draft-model.ts";
import type { HiddenOptions } from "./hidden-options.ts";
import { MtpHeads } from "./mtp-heads.ts";
import { MtpStates, mtpBatchSize } from "./mtp-states.ts";

/**
 * Creates a context for the heads of a loaded model.
 *
 * @param context the model's own
 * @returns a sentence if there is no room for it; undefined if no heads are to be used
 */
export async function loadMtp(
  addon: Addon,
  { model, context }: { model: AddonModel; context: AddonContext },
  { mtp, ...settings }: LoadSettings,
  { mtp: extension }: HiddenOptions,
): Promise<LoadedDraft | string | undefined> {
  if (mtp === undefined || extension === undefined) return undefined;
  const { contextLength: window, activeBytes, most, isForced = false } = mtp;
  const heads = new addon.AddonContext(model, {
    contextSize: window,
    batchSize: mtpBatchSize,
    sequences: 1,
    flashAttention: settings.flashAttention,
    // Guesses are cut off, also from layers with a sliding window.
    swaFullCache: true,
    threads: settings.threads ?? addon.getMathCores(),
  });
  extension.configureContext(heads, { isMtp: true });
  if (!(await heads.init())) {
    return "The MTP heads are left out: there is not enough memory for their context window.";
  }
  const { vocabularySize } = settings;
  const parts = { model, context: heads, window, vocabularySize };
  return {
    name: "MTP heads",
    source: new MtpHeads(addon, extension, parts),
    states: new MtpStates(extension, context),
    activeBytes,
    most,
    isForced,
  };
}
