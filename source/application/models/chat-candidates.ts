// Models of this machine that a chat could open with: do they fit, and how fast do they answer.
import { shownModel } from "../../base/display-text.ts";
import type { ProductPaths } from "../../configuration/paths.ts";
import type { Settings } from "../../configuration/settings.ts";
import type { ModelSummary } from "../../store/library/model-list.ts";
import { MachineSpeed } from "../speed/machine-speed.ts";
import type { ModelLibrary } from "./model-library.ts";

export interface ChatCandidate {
  name: string;
  sizeBytes: number;
  fits: boolean;
  tokensPerSecond: number | undefined;
}

/**
 * Leaves out models that do not generate text, and damaged ones. Measures this machine's memory if there
 * is a choice and nobody has.
 */
export async function chatCandidates(
  library: ModelLibrary,
  models: readonly Pick<ModelSummary, "name">[],
  { values, paths }: { values: Settings; paths: Pick<ProductPaths, "cache"> },
): Promise<ChatCandidate[]> {
  const speed = await MachineSpeed.open(values, paths);
  if (models.length > 1) await speed.ensureMeasured();
  const candidates: ChatCandidate[] = [];
  // In sequence: each opens a file.
  for (const { name } of models) {
    const model = await library.catalog.resolve(name).catch(() => undefined);
    if (model === undefined || model.facts.isEmbeddingOnly || !model.facts.hasWeights) continue;
    const { fits } = await library.memoryFit(name, values);
    const tokensPerSecond = await speed.likelySpeed(model);
    candidates.push({ name: shownModel(name), sizeBytes: model.sizeBytes, fits, tokensPerSecond });
  }
  return candidates;
}
