// Sampling parameters that a request leaves out: the model's own, then Ollama's defaults.
import { ProductError } from "../base/product-error.ts";
import type { ModelParameters } from "../store/model-parameters.ts";
import { engineErrors } from "./errors.ts";
import type { GenerationRequest, SamplingParameters } from "./generation.ts";

const defaults = {
  temperature: 0.8,
  top_k: 40,
  top_p: 0.9,
  min_p: 0,
  repeat_last_n: 64,
  repeat_penalty: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
} satisfies ModelParameters;

/**
 * Drops the model's `typical_p`, which is refused in a request: a model made for another engine works
 * without it.
 */
export function usableParameters({ typical_p: _, ...usable }: ModelParameters): ModelParameters {
  return usable;
}

/**
 * @param parameters the model's parameters overridden by the request's
 * @throws ProductError `ENGINE_PARAMETER_UNSUPPORTED` for typical_p, which llama.cpp's addon lacks
 */
export function toSampling(
  parameters: ModelParameters,
  logitBias: SamplingParameters["logitBias"],
): SamplingParameters {
  if (parameters.typical_p !== undefined && parameters.typical_p !== 1) {
    throw new ProductError(engineErrors.parameterUnsupported, {
      message: `typical_p ${parameters.typical_p} is not supported: the engine has no such sampler.`,
      hint: "Leave it out or set it to 1; min_p has a similar effect.",
      param: "typical_p",
    });
  }
  const all = { ...defaults, ...parameters };
  return {
    temperature: all.temperature,
    topK: all.top_k,
    topP: all.top_p,
    minP: all.min_p,
    repeatPenalty: all.repeat_penalty,
    repeatLastN: all.repeat_last_n,
    presencePenalty: all.presence_penalty,
    frequencyPenalty: all.frequency_penalty,
    // Ollama uses -1 for a random seed.
    seed: all.seed === undefined || all.seed < 0 ? undefined : all.seed,
    logitBias,
  };
}

/** Values of `num_predict` below 1 mean: until the model stops or the window is full. */
export function toMaxTokens(parameters: ModelParameters): GenerationRequest["maxTokens"] {
  const limit = parameters.num_predict;
  return limit === undefined || limit < 1 ? undefined : limit;
}
