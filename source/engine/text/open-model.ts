// Opening of a model's file, without MTP heads that llama.cpp refuses.
import type { LoadSettings } from "../runner/load-settings.ts";
import type { Addon, AddonModel, AddonModelOptions } from "./addon.ts";
import { type HiddenOptions, hiddenOptions, type LoadDevice } from "./hidden-options.ts";

export interface OpenedModel {
  /** Undefined if llama.cpp refuses the file. */
  model: AddonModel | undefined;
  /** Options in force. */
  hidden: HiddenOptions;
  /** A sentence about what was left out. */
  problem: string | undefined;
}

/** @param hidden options to open it with */
export async function openModel(
  addon: Addon,
  settings: LoadSettings,
  device: LoadDevice,
  hidden: HiddenOptions,
  options: Pick<AddonModelOptions, "gpuLayers" | "onLoadProgress">,
): Promise<OpenedModel> {
  const open = async ({ applyToModel }: HiddenOptions, overridesList: Overrides = []) => {
    const model = new addon.AddonModel(settings.modelPath, {
      addonExports: addon,
      useMmap: settings.useMmap,
      ...options,
      ...(overridesList.length > 0 && { overridesList }),
    });
    applyToModel(model);
    return (await model.init()) ? model : undefined;
  };
  const model = await open(hidden);
  if (model === undefined && settings.missingMtpLayers > 0) {
    return { model: await open(hidden, withoutHeads(settings)), hidden, problem: undefined };
  }
  if (model !== undefined || hidden.mtp === undefined) return { model, hidden, problem: undefined };
  const plain = hiddenOptions({ ...settings, mtp: undefined }, device);
  const problem = "The MTP heads are left out: llama.cpp refuses them.";
  return { model: await open(plain), hidden: plain, problem };
}

type Overrides = NonNullable<AddonModelOptions["overridesList"]>;

/** Leaves out MTP heads that a file announces and does not have: llama.cpp would look for them. */
function withoutHeads({ architecture, layers, missingMtpLayers }: LoadSettings): Overrides {
  return [
    [`${architecture}.nextn_predict_layers`, 0, 0],
    [`${architecture}.block_count`, layers - missingMtpLayers, 0],
  ];
}
