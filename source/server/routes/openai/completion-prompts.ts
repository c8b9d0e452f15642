// Translates a completion request: one canonical request for each of its prompts.
import {
  type CanonicalRequest,
  plainChat,
  plainRequest,
  type RequestInput,
} from "../../../engine/request.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { type Caller, readCommonFields } from "./common-fields.ts";
import type { CompletionBody } from "./completion-schema.ts";

/** Answers that one request may ask for, over all of its prompts. */
const mostChoices = 64;

export interface PromptRequest {
  prompt: string;
  canonical: CanonicalRequest;
}

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` */
export function toPromptRequests(body: CompletionBody, caller: Caller): PromptRequest[] {
  const { n = 1, best_of, echo, logprobs, suffix } = body;
  if (best_of !== undefined && best_of !== n) {
    throw unsupportedField("best_of", "answers are not ranked, all of them are sent");
  }
  if (echo === true && logprobs !== undefined) {
    throw unsupportedField("echo", "the prompt's own log-probabilities are not computed");
  }
  const prompts = promptsOf(body.prompt);
  if (prompts.length * n > mostChoices) {
    throw invalidField(
      "prompt",
      `'prompt' and 'n' ask for ${prompts.length * n} answers, but one request may have ${mostChoices}.`,
    );
  }
  const common = readCommonFields(body, caller);
  return prompts.map((prompt) => ({
    prompt,
    canonical: plainRequest({
      ...common,
      ...inputOf(prompt, suffix),
      topLogprobs: logprobs,
    }),
  }));
}

/**
 * A prompt goes to the model as it is: whoever wants a conversation has chat completions. Only the
 * model's template knows how text is filled in before a suffix.
 */
function inputOf(
  prompt: string,
  suffix: string | undefined,
): Partial<CanonicalRequest> & { input: RequestInput } {
  if (suffix === undefined || suffix === "") return { input: { kind: "raw", text: prompt } };
  return { input: plainChat([{ role: "user", content: prompt }], { suffix }), think: false };
}

function promptsOf(prompt: CompletionBody["prompt"]): string[] {
  if (prompt === undefined) throw invalidField("prompt", "prompt is required");
  if (typeof prompt === "string") return [promptOf(prompt, "prompt")];
  if (prompt.length === 0) throw invalidField("prompt", "'prompt' is an empty list.");
  return prompt.map((item, index) => promptOf(item, `prompt.${index}`));
}

function promptOf(prompt: unknown, param: string): string {
  if (typeof prompt === "number" || Array.isArray(prompt)) {
    throw unsupportedField(
      "prompt",
      "token ids belong to one model's vocabulary; send the text instead",
    );
  }
  if (typeof prompt !== "string") throw invalidField(param, `'${param}' must be string.`);
  if (prompt === "") {
    throw invalidField(param, `'${param}' is empty: there is no text to go on from.`);
  }
  return prompt;
}
