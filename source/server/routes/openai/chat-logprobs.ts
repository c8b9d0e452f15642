// Log-probabilities in the shape of chat completions.
import type { TokenLogprob } from "../../../engine/generation.ts";

export function chatLogprobs(logprobs: readonly TokenLogprob[] | undefined) {
  if (logprobs === undefined) return null;
  return {
    content: logprobs.map(({ token, logprob, bytes, top }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: top,
    })),
    refusal: null,
  };
}
