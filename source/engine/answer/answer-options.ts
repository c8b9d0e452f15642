// Options that every kind of answer needs.
import type { ModelParameters } from "../../store/model-parameters.ts";
import type { GenerationRequest, SamplingParameters } from "../generation.ts";
import type { CanonicalRequest } from "../request.ts";
import { toMaxTokens } from "../sampling-defaults.ts";
import type { ReadyModel } from "../scheduler/loaded-model.ts";

export interface AnswerOptions {
  request: CanonicalRequest;
  /** The model's parameters overridden by the request's. */
  parameters: ModelParameters;
  sampling: SamplingParameters;
  ready: ReadyModel;
  signal: AbortSignal;
}

/** Returns the runner's request without the prompt and everything that depends on it. */
export function generationOf({
  request,
  parameters,
  sampling,
}: AnswerOptions): Omit<GenerationRequest, "prompt"> {
  return {
    ...(request.client !== undefined && { client: request.client }),
    maxTokens: toMaxTokens(parameters),
    sampling,
    stop: parameters.stop ?? [],
    ignoreEndOfText: request.ignoreEndOfText,
    topLogprobs: request.topLogprobs,
    grammar: undefined,
    visibleControlTexts: [],
  };
}
