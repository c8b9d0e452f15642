// Translates requests of Anthropic's Messages API to the canonical request.
import { quoteShort } from "../../../base/display-text.ts";
import {
  type AnswerFormat,
  type CanonicalRequest,
  type ChatInput,
  plainChat,
  plainRequest,
  type ThinkLevel,
} from "../../../engine/request.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ModelParameters } from "../../../store/model-parameters.ts";
import { unsupportedField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import { withoutChangingText, withoutChangingTexts } from "../changing-texts.ts";
import type { ChatCaller } from "../openai/common-fields.ts";
import { toThink } from "../openai/reasoning.ts";
import { readObject, readText } from "../read-fields.ts";
import { toToolUse } from "./client-tools.ts";
import { toConversation } from "./conversation.ts";
import type { CountTokensBody, MessageBody } from "./schema.ts";

/** A conversation without anything about its answer. */
export type PromptRequest = CanonicalRequest & { input: ChatInput };

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toPromptRequest(
  body: CountTokensBody,
  model: ResolvedModel,
  { isFileAllowed, log, stablePrompts }: ChatCaller,
): PromptRequest {
  refuseUnsupported(body);
  const system = stablePrompts ? withoutChangingText(body.system) : body.system;
  const messages = stablePrompts ? withoutChangingTexts(body.messages) : body.messages;
  const input = plainChat(toConversation(system, messages), toToolUse(body));
  return {
    ...plainRequest({
      model: body.model,
      isFileAllowed,
      input,
      parameters: parseOptions(body.options, log),
      keepAliveMs: parseKeepAlive(body.keep_alive),
      format: toFormat(body.output_config?.format),
      think: toThinkLevel(body, model),
    }),
    input,
  };
}

/** What the request leaves out stays out, so that the model's own parameters count. */
export function toCanonical(
  body: MessageBody,
  model: ResolvedModel,
  caller: ChatCaller,
): CanonicalRequest {
  const prompt = toPromptRequest(body, model, caller);
  return {
    ...prompt,
    parameters: { ...prompt.parameters, ...toParameters(body) },
    // Reading a long prompt keeps the connection alive with pings.
    reportProgress: body.stream === true,
  };
}

function toParameters(body: MessageBody): ModelParameters {
  const { max_tokens, temperature, top_p, top_k, stop_sequences: stop = [] } = body;
  return {
    num_predict: max_tokens,
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(top_k !== undefined && { top_k }),
    ...(stop.length > 0 && { stop }),
  };
}

function refuseUnsupported(body: CountTokensBody): void {
  if (body.container !== undefined) {
    throw unsupportedField("container", "this server runs no code for a model");
  }
  if (body.mcp_servers !== undefined && body.mcp_servers.length > 0) {
    throw unsupportedField("mcp_servers", "this server calls no tools by itself");
  }
}

/** A model that cannot think does not mind being asked to: clients ask every model alike. */
function toThinkLevel(
  { thinking, output_config }: CountTokensBody,
  model: ResolvedModel,
): ThinkLevel | undefined {
  const effort = output_config?.effort ?? undefined;
  const type = thinking?.type;
  if (type === "disabled") return false;
  if (type !== undefined && type !== "enabled" && type !== "adaptive") {
    throw unsupportedField(
      "thinking.type",
      `${quoteShort(type)} is none of enabled, disabled, adaptive`,
    );
  }
  if (effort !== undefined) return toThink({ reasoning_effort: effort }, model);
  if (type === undefined) return undefined;
  return toThink({ reasoning_effort: "medium" }, model) !== false;
}

function toFormat(value: unknown): AnswerFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const where = "output_config.format";
  const format = readObject(value, where);
  const type = readText(format.type, `${where}.type`);
  if (type === "json_schema") {
    return { kind: "schema", schema: readObject(format.schema, `${where}.schema`) };
  }
  throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not json_schema`);
}
