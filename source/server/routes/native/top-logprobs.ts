// How many alternatives a native request wants with each token.
import { invalidField } from "../../errors.ts";
import type { ChatBody, GenerateBody } from "./schema.ts";

/**
 * @returns undefined when no log-probabilities are wanted
 * @throws ProductError `SERVER_FIELD_INVALID` outside 0 to 20
 */
export function topLogprobsOf(body: GenerateBody | ChatBody): number | undefined {
  const top = body.top_logprobs ?? 0;
  if (top < 0 || top > 20) {
    throw invalidField("top_logprobs", "top_logprobs must be between 0 and 20");
  }
  return body.logprobs === true || top > 0 ? top : undefined;
}
