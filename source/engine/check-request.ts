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
  if (promptTokens >= settings.contextLength) throw promptTooLong(`${promptTokens}`, settings);
}

/** @param length in tokens, as shown to the user: `5000`, or `about 5000` */
export function promptTooLong(
  length: string,
  {
    contextLength,
    trainedContextLength,
  }: Pick<LoadSettings, "contextLength" | "trainedContextLength">,
): ProductError {
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `The prompt is ${length} tokens long, which exceeds the context window of ${contextLength}: ` +
      "at least one token must be left for the answer.",
    hint:
      contextLength < trainedContextLength
        ? `Shorten the prompt, or raise num_ctx (MODELCTL_CONTEXT_LENGTH), up to ${trainedContextLength}.`
        : "Shorten the prompt; num_ctx is as large as the model was trained for.",
  });
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
