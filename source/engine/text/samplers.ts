// Samplers of the addon for requests, and the model's own log-probabilities.
import type { SamplingParameters, TokenLogprob } from "../generation.ts";
import type {
  Addon,
  AddonContext,
  AddonGrammarEvaluationState,
  AddonModel,
  AddonSampler,
  AddonSamplerConfiguration,
} from "./addon.ts";
import type { TokenBytes } from "./token-bytes.ts";

/** Returns a seed for a request without one. */
export function randomSeed(): number {
  return Math.floor(Math.random() * 0x1_0000_0000);
}

export interface SamplerOptions {
  parameters: SamplingParameters;
  /** Initial tokens for the penalties: the prompt and the answer so far. */
  earlierTokens: readonly number[];
  /** Tokens that must not be chosen. */
  forbidden: readonly number[];
  /** Window of a slot, in tokens. */
  contextLength: number;
  /** Position of the answer in its grammar. */
  grammar: AddonGrammarEvaluationState | undefined;
}

/**
 * Creates the sampler of one request. It has state (random numbers, penalties), so each token of the
 * answer must pass through it once and in order.
 */
export function createSampler(
  addon: Addon,
  model: AddonModel,
  options: SamplerOptions,
): AddonSampler {
  const sampler = new addon.AddonSampler(model);
  sampler.applyConfig(samplerConfiguration(options));
  return sampler;
}

/** Returns a configuration; a sampler in use keeps the state of everything that it does not change. */
export function samplerConfiguration({
  parameters,
  earlierTokens,
  forbidden,
  contextLength,
  grammar,
}: SamplerOptions): AddonSamplerConfiguration {
  const bias = new Map<number, number>(parameters.logitBias);
  for (const token of forbidden) bias.set(token, Number.NEGATIVE_INFINITY);
  const window = penaltyWindow(parameters, contextLength);
  return {
    temperature: Math.max(0, parameters.temperature),
    topK: parameters.topK,
    topP: parameters.topP,
    minP: parameters.minP,
    seed: (parameters.seed ?? randomSeed()) >>> 0,
    ...(window > 0 && {
      repeatPenalty: parameters.repeatPenalty,
      repeatPenaltyPresencePenalty: parameters.presencePenalty,
      repeatPenaltyFrequencyPenalty: parameters.frequencyPenalty,
      repeatPenaltyMaxTokens: window,
      // Image tokens are negative and cannot be repeated.
      repeatPenaltyTokens: Uint32Array.from(
        earlierTokens.filter((token) => token >= 0).slice(-window),
      ),
    }),
    ...(bias.size > 0 && {
      tokenBiasKeys: Uint32Array.from(bias.keys()),
      tokenBiasValues: Float32Array.from(bias.values()),
    }),
    ...(grammar !== undefined && { grammarEvaluationState: grammar }),
  };
}

/** Returns the number of tokens that the penalties look at; 0 without penalties. */
function penaltyWindow(parameters: SamplingParameters, contextLength: number): number {
  const { repeatPenalty, presencePenalty, frequencyPenalty, repeatLastN } = parameters;
  if (repeatPenalty === 1 && presencePenalty === 0 && frequencyPenalty === 0) return 0;
  // -1 means the whole window, which is also the maximum.
  return repeatLastN < 0 ? contextLength : Math.min(repeatLastN, contextLength);
}

/**
 * Creates a sampler without filters, which reports the model's own probabilities: the addon lists
 * probabilities after the filters of the given sampler.
 */
export function createNeutralSampler(addon: Addon, model: AddonModel): AddonSampler {
  const sampler = new addon.AddonSampler(model);
  sampler.applyConfig({ temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 });
  return sampler;
}

/** Reads the log-probability of `token` at a logit index, and of the `top` most likely tokens. */
export async function readLogprob(
  context: AddonContext,
  logitIndex: number,
  neutral: AddonSampler,
  token: number,
  top: number,
  tokenBytes: TokenBytes,
): Promise<TokenLogprob> {
  const [, probabilities = []] = await context.sampleToken(logitIndex, neutral, true);
  const alternatives: TokenLogprob["top"] = [];
  let own = 0;
  for (let i = 0; i + 1 < probabilities.length; i += 2) {
    const id = probabilities[i] ?? -1;
    const probability = probabilities[i + 1] ?? 0;
    if (id === token) own = probability;
    if (alternatives.length < top) alternatives.push(describe(id, probability, tokenBytes));
    else if (own > 0) break;
  }
  return { ...describe(token, own, tokenBytes), top: alternatives };
}

// JSON cannot represent the logarithm of a probability that underflows to 0; OpenAI uses -9999.
const lowestLogprob = -9999;

function describe(id: number, probability: number, tokenBytes: TokenBytes) {
  const bytes = tokenBytes.of(id);
  return {
    token: new TextDecoder().decode(bytes),
    bytes: [...bytes],
    logprob: probability > 0 ? Math.log(probability) : lowestLogprob,
  };
}
