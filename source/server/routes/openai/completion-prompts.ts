// Shape of a completion request, and its translation to one canonical request per prompt.
import { type Static, Type } from "typebox";
import {
  type CanonicalRequest,
  plainChat,
  plainRequest,
  type RequestInput,
} from "../../../engine/request.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import type { ReadingRules } from "../../run-request.ts";
import { withoutEffect } from "../../unknown-fields.ts";
import {
  commonFields,
  isTokenList,
  readCommonFields,
  readTokens,
  samplingFields,
} from "./common-fields.ts";

export const CompletionBody = Type.Object({
  ...commonFields,
  ...samplingFields,
  prompt: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown())])),
  suffix: Type.Optional(Type.String()),
  echo: Type.Optional(Type.Boolean()),
  logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  best_of: Type.Optional(Type.Integer({ minimum: 1 })),
  ...withoutEffect("user"),
});
export type CompletionBody = Static<typeof CompletionBody>;

/** A text, or token ids of the model. */
type CompletionPrompt = string | number[];

/** Maximum number of answers per request, over all its prompts. */
const maxChoices = 64;

export interface PromptRequest {
  prompt: CompletionPrompt;
  canonical: CanonicalRequest;
}

/**
 * @param vocabularySize of the model, as a prompt may consist of token ids
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toPromptRequests(
  body: CompletionBody,
  rules: ReadingRules,
  vocabularySize: number,
): PromptRequest[] {
  const { n = 1, best_of, echo, logprobs, suffix } = body;
  if (best_of !== undefined && best_of !== n) {
    throw unsupportedField("best_of", "answers are not ranked, all of them are sent");
  }
  if (echo === true && logprobs !== undefined) {
    throw unsupportedField("echo", "the prompt's own log-probabilities are not computed");
  }
  const prompts = promptsOf(body.prompt, vocabularySize);
  if (prompts.length * n > maxChoices) {
    throw invalidField(
      "prompt",
      `'prompt' and 'n' ask for ${prompts.length * n} answers, but one request may have ${maxChoices}.`,
    );
  }
  const common = readCommonFields(body, rules);
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
 * Sends a prompt to the model as it is; conversations belong to chat completions. Only the model's
 * template can fill in text before a suffix.
 */
function inputOf(
  prompt: CompletionPrompt,
  suffix: string | undefined,
): Partial<CanonicalRequest> & { input: RequestInput } {
  if (typeof prompt !== "string") {
    if (suffix) throw unsupportedField("suffix", "a template writes it, which needs a text");
    return { input: { kind: "raw", text: "", tokens: prompt } };
  }
  if (suffix === undefined || suffix === "") return { input: { kind: "raw", text: prompt } };
  return { input: plainChat([{ role: "user", content: prompt }], { suffix }), think: false };
}

function promptsOf(prompt: CompletionBody["prompt"], vocabularySize: number): CompletionPrompt[] {
  if (prompt === undefined) throw invalidField("prompt", "prompt is required");
  if (typeof prompt === "string") return [textOf(prompt, "prompt")];
  if (prompt.length === 0) throw invalidField("prompt", "'prompt' is an empty list.");
  if (isTokenList(prompt)) return [readTokens(prompt, "prompt", vocabularySize)];
  return prompt.map((item, index) => {
    const param = `prompt.${index}`;
    return isTokenList(item) ? readTokens(item, param, vocabularySize) : textOf(item, param);
  });
}

function textOf(prompt: unknown, param: string): string {
  if (typeof prompt !== "string") {
    throw invalidField(param, `'${param}' must be a text or a list of tokens.`);
  }
  if (prompt === "") {
    throw invalidField(param, `'${param}' is empty: there is no text to continue.`);
  }
  return prompt;
}
