// Translates a chat completion request to the canonical request.
import { type CanonicalRequest, plainChat, plainRequest } from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { invalidField } from "../../errors.ts";
import { withoutChangingTexts } from "../changing-texts.ts";
import { readTemplateVariables } from "../template-variables.ts";
import { toMessages } from "./chat-messages.ts";
import { type ChatCaller, readCommonFields } from "./common-fields.ts";
import { toThink } from "./reasoning.ts";
import { grammarOr, toAnswerFormat } from "./response-format.ts";
import type { ChatCompletionBody } from "./schema.ts";
import { toToolUse } from "./tool-use.ts";
import { refuseUnsupported } from "./unsupported-fields.ts";

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ChatCompletionBody,
  model: ResolvedModel,
  caller: ChatCaller,
): CanonicalRequest {
  refuseUnsupported(body);
  const { max_completion_tokens } = body;
  const sent = body.messages ?? [];
  const messages = caller.stablePrompts ? withoutChangingTexts(sent) : sent;
  if (messages.length === 0) {
    throw invalidField("messages", "[] is too short - 'messages': at least one is needed.");
  }
  const common = readCommonFields(body, caller);
  const parameters = {
    ...common.parameters,
    // The newer name of `max_tokens` wins.
    ...(max_completion_tokens !== undefined && { num_predict: max_completion_tokens }),
  };
  const toolUse = toToolUse(body);
  const format = toAnswerFormat(body.response_format);
  return plainRequest({
    ...common,
    parameters,
    input: plainChat(toMessages(messages), {
      ...toolUse,
      templateVariables: readTemplateVariables(body.chat_template_kwargs),
    }),
    topLogprobs: toTopLogprobs(body),
    format: grammarOr(format, common.format, toolUse.toolChoice, "response_format"),
    think: toThink(body, model),
    truncate: body.truncate === true,
    shift: body.shift === true,
  });
}

/** Undefined when log-probabilities are off. */
function toTopLogprobs({ logprobs, top_logprobs = 0 }: ChatCompletionBody): number | undefined {
  if (logprobs === true) return top_logprobs;
  if (top_logprobs > 0) {
    throw invalidField("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
  }
  return undefined;
}
