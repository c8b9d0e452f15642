// Fields of replies: the head of each object, and `usage`.
import { randomUUID } from "node:crypto";
import type { CanonicalEvent } from "../../../engine/request.ts";

/**
 * Fields that all objects and chunks of one reply share.
 *
 * @param prefix of the reply's id
 * @param model as the client named it
 */
export function replyHead(prefix: "chatcmpl" | "cmpl", object: string, model: string) {
  return {
    id: `${prefix}-${randomUUID()}`,
    object,
    created: Math.floor(Date.now() / 1000),
    model,
    system_fingerprint: "fp_modelctl",
  };
}

/** Counts the tokens of one choice from its events. */
export class TokenMeter {
  promptTokens = 0;
  cachedTokens = 0;
  completionTokens = 0;
  reasoningTokens = 0;
  #tokens = 0;

  take(event: CanonicalEvent): void {
    if (event.type === "done") {
      this.promptTokens = event.statistics.promptTokens;
      this.cachedTokens = event.statistics.cachedTokens;
      this.completionTokens = event.statistics.completionTokens;
    }
    if (!("tokens" in event) || event.type === "truncated") return;
    // An event carries the count of the whole answer so far.
    if (event.type === "thinking") this.reasoningTokens += event.tokens - this.#tokens;
    this.#tokens = event.tokens;
  }
}

/**
 * Counts as OpenAI does: each prompt once, and the tokens of all its choices.
 *
 * @param choicesPerPrompt choices of one prompt are next to each other
 */
export function usageOf(choices: ReadonlyArray<{ meter: TokenMeter }>, choicesPerPrompt: number) {
  const meters = choices.map(({ meter }) => meter);
  const prompts = meters.filter((_, index) => index % choicesPerPrompt === 0);
  const promptTokens = sum(prompts.map((meter) => meter.promptTokens));
  const completionTokens = sum(meters.map((meter) => meter.completionTokens));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: sum(prompts.map((meter) => meter.cachedTokens)) },
    completion_tokens_details: {
      reasoning_tokens: sum(meters.map((meter) => meter.reasoningTokens)),
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
