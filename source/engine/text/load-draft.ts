// Loading of a draft model. One that cannot be used is left out with one sentence.
import { formatMemory } from "../../base/formats.ts";
import { describeError } from "../../base/product-error.ts";
import type { DraftSettings, LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonModel } from "./addon.ts";
import { isRecurrent } from "./context-options.ts";
import { DraftModel, draftBatchSize, type LoadedDraft } from "./draft-model.ts";
import { fitLayers } from "./fit-layers.ts";
import { noHiddenOptions } from "./hidden-options.ts";

/** llama.cpp's tolerance: some vocabularies are padded to a multiple. */
const maxMissingTokens = 128;
/** The first tokens are control tokens, which may be named otherwise. Source: llama.cpp, common/speculative.cpp. */
const firstComparedToken = 5;

/**
 * Loads the draft model of a model before the model itself, which gets the rest of the memory.
 *
 * @returns a sentence if it cannot be used; undefined if the settings name none
 */
export async function loadDraft(
  addon: Addon,
  settings: LoadSettings,
  usesCards: boolean,
): Promise<DraftModel | string | undefined> {
  const { draft, vocabularySize } = settings;
  if (draft === undefined) return undefined;
  const problem = settingsProblem(addon, draft, settings);
  if (problem !== undefined) return leftOut(draft, problem);
  const own: LoadSettings = {
    ...settings,
    ...{ modelPath: draft.modelPath, architecture: draft.architecture, layers: draft.layers },
    ...{ contextLength: draft.contextLength, slots: 1, batchSize: draftBatchSize },
    keepsWholeWindow: true,
  };
  const model = new addon.AddonModel(draft.modelPath, {
    addonExports: addon,
    gpuLayers: usesCards ? await fitLayers(addon, own, noHiddenOptions) : 0,
    useMmap: settings.useMmap,
  });
  try {
    if (!(await model.init())) return leftOut(draft, "llama.cpp refuses its file");
  } catch (error) {
    return leftOut(draft, describeError(error));
  }
  const context = new addon.AddonContext(model, {
    contextSize: draft.contextLength,
    batchSize: draftBatchSize,
    sequences: 1,
    flashAttention: settings.flashAttention,
    // Rejected tokens are cut off, also from layers with a sliding window.
    swaFullCache: true,
    threads: settings.threads ?? addon.getMathCores(),
  });
  if (!(await context.init())) {
    await model.dispose();
    return leftOut(draft, "there is not enough memory for its context window");
  }
  return new DraftModel(addon, { model, context, window: draft.contextLength, vocabularySize });
}

/** Returns the draft model if the model can check what it writes, or a sentence that says why not. */
export async function checkedDraft(
  found: DraftModel | string | undefined,
  model: AddonModel,
  { draft, vocabularySize }: LoadSettings,
): Promise<{ usable?: LoadedDraft; problem?: string }> {
  if (draft === undefined || found === undefined) return {};
  if (typeof found === "string") return { problem: found };
  const sizes: [number, number] = [draft.vocabularySize, vocabularySize];
  const difference = vocabularyDifference(found.model, model, sizes);
  if (difference === undefined) {
    const { name, most, isForced = false } = draft;
    const { sizeBytes: activeBytes } = found;
    return { usable: { name, source: found, activeBytes, most, isForced, states: undefined } };
  }
  await found.dispose();
  return { problem: leftOut(draft, `its vocabulary is another one (${difference})`) };
}

function vocabularyDifference(
  draft: AddonModel,
  model: AddonModel,
  [own, models]: [number, number],
): string | undefined {
  if (Math.abs(own - models) > maxMissingTokens) return `${own} tokens, not ${models}`;
  if (draft.getVocabularyType() !== model.getVocabularyType()) return "another kind";
  const bosOf = (each: AddonModel) => (each.shouldPrependBosToken() ? each.tokenBos() : -1);
  if (bosOf(draft) !== bosOf(model)) return "the begin-of-text token";
  for (let token = firstComparedToken; token < Math.min(own, models); token += 1) {
    if (draft.getTokenString(token) !== model.getTokenString(token)) return `token ${token}`;
  }
  return undefined;
}

function settingsProblem(
  addon: Addon,
  draft: DraftSettings,
  { architecture, sizeBytes }: LoadSettings,
): string | undefined {
  if (draft.sizeBytes >= sizeBytes) {
    const sizes = `${formatMemory(draft.sizeBytes)}, the model ${formatMemory(sizeBytes)}`;
    return `it is not smaller than the model (${sizes})`;
  }
  if (!addon.getIsArchSupported(draft.architecture)) {
    return `its architecture '${draft.architecture}' is not supported`;
  }
  const recurrent = "has recurrent states, which cannot take back a wrong token";
  if (isRecurrent(addon, draft.architecture)) return `it ${recurrent}`;
  return isRecurrent(addon, architecture) ? `the model ${recurrent}` : undefined;
}

function leftOut({ name }: DraftSettings, why: string): string {
  return `The draft model ${name} is left out: ${why}.`;
}
