// Request checks that both engines share, so that they refuse in the same words.
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "./errors.ts";
import type { GenerationRequest } from "./generation.ts";
import type { LoadSettings } from "./runner/load-settings.ts";

/** @throws ProductError `ENGINE_PROMPT_EMPTY`, `ENGINE_PROMPT_TOO_LONG` */
export function checkLength(
  promptTokens: number,
  settings: Pick<LoadSettings, "contextLength" | "trainedContextLength">,
): void {
  if (promptTokens === 0) {
    throw new ProductError(engineErrors.promptEmpty, {
      message: "The prompt is empty: the model needs at least one token to start from.",
      hint: "Send some text.",
    });
  }
  if (promptTokens >= settings.contextLength) throw promptTooLong(promptTokens, settings);
}

/** @param isEstimated the tokens were not counted, as the prompt is several windows long */
export function promptTooLong(
  tokens: number,
  {
    contextLength,
    trainedContextLength,
  }: Pick<LoadSettings, "contextLength" | "trainedContextLength">,
  isEstimated = false,
): ProductError {
  const length = isEstimated ? `about ${Number(tokens.toPrecision(2))}` : `${tokens}`;
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `The prompt is ${length} tokens long, which exceeds the context window of ${contextLength}: ` +
      "at least one token must be left for the answer.",
    hint: windowHint(tokens, contextLength, trainedContextLength),
  });
}

/** Names the window that would hold the prompt, if the model has one. */
function windowHint(tokens: number, contextLength: number, trainedContextLength: number): string {
  if (contextLength >= trainedContextLength) {
    return "Shorten the prompt; num_ctx is as large as the model was trained for.";
  }
  if (tokens >= trainedContextLength) {
    return `Shorten the prompt; the model was trained for windows of up to ${trainedContextLength} tokens.`;
  }
  return (
    `Raise num_ctx (MODELCTL_CONTEXT_LENGTH) above ${tokens}, with room for the answer, up to ` +
    `${trainedContextLength}; or shorten the prompt.`
  );
}

/** Checks the tokens that the client itself names. @throws ProductError `ENGINE_TOKEN_UNKNOWN` */
export function checkNamedTokens(
  { prompt, sampling }: GenerationRequest,
  settings: LoadSettings,
): void {
  const given = "tokens" in prompt ? prompt.tokens : (prompt.earlier ?? []);
  refuseUnknown([...given, ...sampling.logitBias.map(([token]) => token)], settings);
}

/** @throws ProductError `ENGINE_TOKEN_UNKNOWN` */
export function refuseUnknown(
  tokens: readonly number[],
  { vocabularySize }: Pick<LoadSettings, "vocabularySize">,
): void {
  const unknown = tokens.find((token) => token < 0 || token >= vocabularySize);
  if (unknown === undefined) return;
  throw new ProductError(engineErrors.tokenUnknown, {
    message: `Token ${unknown} does not exist: the model's vocabulary has ${vocabularySize} tokens, from 0.`,
  });
}

/** @param waiting number of requests that wait already */
export function queueFull(waiting: number): ProductError {
  return new ProductError(engineErrors.queueFull, {
    message: `server busy, please try again. ${waiting} requests are waiting for this model, which is the limit.`,
    hint: "Try again in a few seconds.",
  });
}
