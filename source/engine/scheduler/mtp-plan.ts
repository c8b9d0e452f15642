// Use of a model's own MTP heads: if it can be, how many tokens they may draft, and the memory that takes.
import { shownModel } from "../../base/display-text.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { MtpSettings } from "../runner/load-settings.ts";
import { mtpBatchSize, mtpKeptStates } from "../text/mtp-states.ts";

/** Usual number of llama.cpp: the heads are trained for one or a few tokens. */
const usualTokens = 3;
const maxTokens = 15;
/** A longer text has little to add for the next few tokens: the model's state says most. */
const largestWindow = 2048;
const windowStep = 256;
const bytesOfNumber = 4;
const bytesOfCacheNumber = 2;

/** Architectures whose heads llama.cpp computes, with one head in the file. */
const withOneHead = [
  "bailingmoe3",
  "cohere2moe",
  "deepseek2",
  "deepseek32",
  "deepseek4",
  "glm-dsa",
  "glm4moe",
  "nemotron_h_moe",
  "qwen35",
  "qwen35moe",
  "qwen3next",
];
/** The same, with any number of heads; the first one drafts. */
const withSeveralHeads = ["hy_v3", "mimo2", "step35"];
/** Their context for the heads holds the model's other layers, too. */
const withAllLayers: ReadonlySet<string> = new Set(["cohere2moe", "deepseek2", "glm4moe"]);

/** @returns undefined unless they are asked for with `spec_type` and can be used */
export function planMtp(
  model: Pick<ResolvedModel, "facts">,
  { spec_type: type, draft_num_predict: wanted = usualTokens }: ModelParameters,
  { contextLength, slots }: { contextLength: number; slots: number },
): MtpSettings | undefined {
  if (type !== "draft-mtp" || wanted === 0 || mtpProblem(model) !== undefined) return undefined;
  const { facts } = model;
  const window = Math.min(contextLength, facts.trainedContextLength, largestWindow);
  const plan = {
    contextLength: Math.ceil(window / windowStep) * windowStep,
    // Ollama's -1 leaves the number to the engine.
    most: wanted < 0 ? usualTokens : Math.min(maxTokens, wanted),
  };
  return {
    ...plan,
    activeBytes: facts.mtpHeads.activeBytes,
    memoryBytes: memoryOf(model, { ...plan, slots }),
  };
}

/** Estimates the memory beside the weights: the heads' window, buffers, and kept states. */
function memoryOf(
  { facts }: Pick<ResolvedModel, "facts">,
  { contextLength, most, slots }: { contextLength: number; most: number; slots: number },
): number {
  const share = withAllLayers.has(facts.architecture) ? 1 : 1 / Math.max(1, facts.layers);
  const windowNumbers = facts.cacheWidth * share * contextLength;
  const numbers =
    mtpBatchSize * facts.embeddingLength * 4 +
    facts.vocabularySize +
    slots * mtpKeptStates * facts.embeddingLength +
    // A state of each drafted token, to return to.
    slots * most * facts.recurrentWidth;
  return Math.ceil(windowNumbers * bytesOfCacheNumber + numbers * bytesOfNumber);
}

/** Says why a request's `spec_type` has no effect, or which draft model it replaces; undefined otherwise. */
export function mtpWarning(
  model: Pick<ResolvedModel, "name" | "facts" | "draft">,
  { spec_type: type, draft_num_predict: wanted }: ModelParameters,
): string | undefined {
  if (type !== "draft-mtp" || wanted === 0) return undefined;
  const problem = mtpProblem(model);
  if (problem !== undefined) {
    return `spec_type draft-mtp has no effect: ${shownModel(model.name)} ${problem}.`;
  }
  if (model.draft === undefined) return undefined;
  return `The draft model ${model.draft.name} is left out: spec_type draft-mtp chooses the model's MTP heads.`;
}

/** Completes a sentence about a model whose heads cannot be used; undefined if they can. */
export function mtpProblem({ facts }: Pick<ResolvedModel, "facts">): string | undefined {
  const { mtpHeads: heads, architecture } = facts;
  if (heads.announced === 0) return "has no MTP heads";
  if (heads.present === 0) return "announces MTP heads, but its file has none";
  if (withSeveralHeads.includes(architecture)) return undefined;
  if (!withOneHead.includes(architecture)) {
    return `has MTP heads that llama.cpp cannot use (architecture '${architecture}')`;
  }
  if (heads.announced === 1) return undefined;
  return `has ${heads.announced} MTP heads, and llama.cpp supports one (architecture '${architecture}')`;
}
