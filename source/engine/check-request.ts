// Request checks that both engines share, so that they refuse in the same words.
import { ProductError } from "../base/product-error.ts";
import { engineErrors } from "./errors.ts";
import type { GenerationRequest } from "./generation.ts";
import type { LoadSettings } from "./runner/load-settings.ts";

type WindowSettings = Pick<
  LoadSettings,
  "contextLength" | "trainedContextLength" | "windowRoomTokens" | "slots" | "kvCacheType"
>;

/** @throws ProductError `ENGINE_PROMPT_EMPTY`, `ENGINE_PROMPT_TOO_LONG` */
export function checkLength(promptTokens: number, settings: WindowSettings): void {
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
  settings: WindowSettings,
  isEstimated = false,
): ProductError {
  const length = isEstimated ? `about ${Number(tokens.toPrecision(2))}` : `${tokens}`;
  return new ProductError(engineErrors.promptTooLong, {
    message:
      `The prompt is ${length} tokens long, which exceeds the context window of ${settings.contextLength}: ` +
      "at least one token must be left for the answer.",
    hint: windowHint(tokens, settings),
  });
}

/** Bytes of f16 for one of the block format: 32 numbers, and a scale of two bytes. */
const quantizedGain = 64 / 34;

/** Names the window that would hold the prompt, and what it takes to get it. */
function windowHint(
  tokens: number,
  { contextLength, trainedContextLength, windowRoomTokens, slots, kvCacheType }: WindowSettings,
): string {
  if (contextLength >= trainedContextLength) {
    return "Shorten the prompt; num_ctx is as large as the model was trained for.";
  }
  if (tokens >= trainedContextLength) {
    return `Shorten the prompt; the model was trained for windows of up to ${trainedContextLength} tokens.`;
  }
  const larger = `num_ctx (MODELCTL_CONTEXT_LENGTH) above ${tokens}, with room for the answer`;
  if (tokens < windowRoomTokens) {
    const largest = Math.min(trainedContextLength, windowRoomTokens);
    const fitting = Math.floor(windowRoomTokens / (tokens + 1));
    const fewer = fitting < slots ? ` The model then answers ${requests(fitting)} at a time.` : "";
    return `Raise ${larger}, up to ${largest}; or shorten the prompt.${fewer}`;
  }
  if (kvCacheType === "f16" && tokens < windowRoomTokens * quantizedGain) {
    return `Set kv_cache_type to q8_0, which halves the window's memory, and raise ${larger}; or shorten the prompt.`;
  }
  return (
    `Free memory has room for ${windowRoomTokens} tokens: unload other models, close programs, or ` +
    `use a smaller quantization, and raise ${larger}; or shorten the prompt.`
  );
}

function requests(count: number): string {
  return count === 1 ? "one request" : `${count} requests`;
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
