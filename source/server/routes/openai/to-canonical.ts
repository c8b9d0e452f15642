// Translates a chat completion request to the canonical request.
import { type CanonicalRequest, plainChat, plainRequest } from "../../../engine/request.ts";
import type { ChatMessage } from "../../../prompt/chat-message.ts";
import type { ModelParameters } from "../../../store/model-parameters.ts";
import { invalidField, unsupportedField, unsupportedTools } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { parseRole } from "../message-role.ts";
import type { ChatCompletionBody } from "./schema.ts";

/**
 * What the request leaves out stays out, so that the model's own parameters count.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ChatCompletionBody,
  isFileAllowed: (file: string) => boolean,
  log: (text: string) => void,
): CanonicalRequest {
  refuseUnsupported(body);
  if (body.messages.length === 0) {
    throw invalidField("messages", "[] is too short - 'messages': at least one is needed.");
  }
  if (body.top_logprobs !== undefined && body.logprobs !== true) {
    throw invalidField("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
  }
  return plainRequest({
    model: body.model,
    isFileAllowed,
    input: plainChat(body.messages.map((message, index) => toMessage(message, index, body.model))),
    parameters: { ...parseOptions(body.options, log), ...toParameters(body) },
    logitBias: toLogitBias(body.logit_bias),
    ignoreEndOfText: body.ignore_eos === true,
    topLogprobs: body.logprobs === true ? (body.top_logprobs ?? 0) : undefined,
    keepAliveMs: parseKeepAlive(body.keep_alive),
  });
}

function refuseUnsupported(body: ChatCompletionBody): void {
  if ((body.n ?? 1) > 1) throw unsupportedField("n", "one answer is given to a request");
  if ((body.tools?.length ?? 0) > 0) {
    throw unsupportedTools(body.model);
  }
  const format = body.response_format?.type ?? "text";
  if (format !== "text") {
    throw unsupportedField("response_format", "answers are not constrained to a format");
  }
  if ((body.reasoning_effort ?? "none") !== "none") {
    throw unsupportedField("reasoning_effort", "the model's thinking cannot be steered");
  }
  if (body.think !== undefined && body.think !== false) {
    throw unsupportedField("think", "the model's thinking is not told apart from its answer");
  }
}

function toParameters(body: ChatCompletionBody): ModelParameters {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  const { temperature, top_p, seed, presence_penalty, frequency_penalty, stop } = body;
  return {
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(seed !== undefined && { seed }),
    ...(presence_penalty !== undefined && { presence_penalty }),
    ...(frequency_penalty !== undefined && { frequency_penalty }),
    ...(stop !== undefined && { stop: typeof stop === "string" ? [stop] : stop }),
  };
}

function toLogitBias(bias: ChatCompletionBody["logit_bias"]): Array<[number, number]> {
  return Object.entries(bias ?? {}).map(([key, value]) => {
    const token = Number(key);
    if (!Number.isInteger(token) || token < 0) {
      throw invalidField(
        "logit_bias",
        `'logit_bias' has the key ${JSON.stringify(key)}, but keys are token ids.`,
      );
    }
    return [token, value];
  });
}

function toMessage(
  message: ChatCompletionBody["messages"][number],
  index: number,
  model: string,
): ChatMessage {
  const where = `messages.${index}`;
  if (message.tool_calls !== undefined && message.tool_calls !== null) {
    throw unsupportedField(`${where}.tool_calls`, "tool calls are not part of a conversation here");
  }
  const { content } = message;
  if (content === undefined || content === null) {
    throw invalidField(`${where}.content`, `'${where}.content' is missing.`);
  }
  const role = parseRole(message.role);
  const text = typeof content === "string" ? content : joinParts(content, where, model);
  return {
    role,
    content: text,
    ...(message.tool_call_id !== undefined && { toolCallId: message.tool_call_id }),
  };
}

/** One message stays one message, whatever its parts: templates count turns. */
function joinParts(
  parts: ReadonlyArray<{ type: string; text?: string }>,
  where: string,
  model: string,
): string {
  return parts
    .map((part, index) => {
      if (part.type === "text" && part.text !== undefined) return part.text;
      if (part.type === "image_url") {
        throw invalidField(`${where}.content.${index}`, `"${model}" does not support images`);
      }
      throw invalidField(
        `${where}.content.${index}`,
        `invalid message format: part ${index} of '${where}' has the type ${JSON.stringify(part.type)}, which is not known.`,
      );
    })
    .join("");
}
