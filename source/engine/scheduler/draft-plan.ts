// Use of a draft model: which one, how many tokens it may draft, and the memory it takes.
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { DraftSettings } from "../runner/load-settings.ts";
import { memoryTerms } from "./memory-plan.ts";

/** Longer drafts are rarely right to their end. */
const maxTokens = 15;
/** A longer text has little to add for the next few tokens. */
const largestWindow = 4096;
const windowStep = 256;
const batchSize = 512;

type Draft = NonNullable<ResolvedModel["draft"]>;

/** @returns undefined for a model without one, or with `draft_num_predict` 0 */
export function planDraft(
  { draft, facts }: Pick<ResolvedModel, "draft" | "facts">,
  { draft_num_predict: wanted = maxTokens }: ModelParameters,
  contextLength: number,
): DraftSettings | undefined {
  if (draft === undefined || wanted === 0) return undefined;
  const { name, facts: own } = draft;
  const isSmaller = own.fileSize < facts.fileSize;
  return {
    name,
    modelPath: own.path,
    architecture: own.architecture,
    layers: own.layers,
    vocabularySize: own.vocabularySize,
    contextLength: windowOf(draft, contextLength),
    sizeBytes: own.fileSize,
    memoryBytes: isSmaller ? draftBytes(draft, contextLength) : 0,
    // Ollama's -1 leaves the number to the engine.
    most: wanted < 0 ? maxTokens : Math.min(maxTokens, wanted),
  };
}

/** Estimates the memory of a draft model: weights, one window, buffers. */
export function draftBytes(draft: Draft, contextLength: number): number {
  const { facts } = draft;
  const terms = memoryTerms({ facts, sizeBytes: facts.fileSize }, { slots: 1, batchSize });
  const cacheBytes = terms.cacheBytesPerToken.f16 * windowOf(draft, contextLength);
  return Math.ceil(terms.weightsBytes + terms.stepBytes + cacheBytes);
}

function windowOf({ facts }: Draft, contextLength: number): number {
  const most = Math.min(contextLength, facts.trainedContextLength, largestWindow);
  return Math.ceil(most / windowStep) * windowStep;
}
