// Placement of a model on cards and in memory: what its parameters and the settings ask for.
import { shownModel } from "../../base/display-text.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters, SplitMode } from "../../store/model-parameters.ts";
import type { Placement } from "../runner/load-settings.ts";

/** Settings for all models of a machine. */
export interface PlacementSettings {
  splitMode: SplitMode | undefined;
  /** Proportions such as `3,1`. */
  tensorSplit: string | undefined;
}

/** Parameters of a model win over the machine's settings. */
export function planPlacement(
  { facts }: Pick<ResolvedModel, "facts">,
  parameters: ModelParameters,
  settings: PlacementSettings,
): Placement {
  const { n_cpu_moe: wanted = 0, main_gpu: mainGpu = -1 } = parameters;
  const splitMode = parameters.split_mode ?? settings.splitMode;
  const shares = parameters.tensor_split ?? settings.tensorSplit;
  return {
    ...(wanted > 0 && facts.expertShare > 0 && { cpuExpertLayers: Math.min(wanted, facts.layers) }),
    ...(splitMode !== undefined && { splitMode }),
    // Ollama's clients send the first card, which is the default.
    ...(mainGpu > 0 && { mainGpu }),
    ...(shares !== undefined && { tensorSplit: shares.split(",").map(Number) }),
  };
}

/** Says that experts are asked for that the model does not have; undefined otherwise. */
export function placementWarning(
  { name, facts }: Pick<ResolvedModel, "name" | "facts">,
  { n_cpu_moe: wanted = 0 }: ModelParameters,
): string | undefined {
  if (wanted <= 0 || facts.expertShare > 0) return undefined;
  return `n_cpu_moe has no effect: ${shownModel(name)} is not a mixture of experts.`;
}

/** Returns the share of the weights that experts keep off the card. */
export function offCardShare(
  { facts }: Pick<ResolvedModel, "facts">,
  { cpuExpertLayers = 0 }: Placement,
): number {
  return facts.expertShare * Math.min(1, cpuExpertLayers / Math.max(1, facts.layers));
}
