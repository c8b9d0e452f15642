// Turns the messages of a chat completion request into the model's conversation.
import { quoteShort } from "../../../base/display-text.ts";
import { isRecord, parseJson } from "../../../base/json.ts";
import type { ToolCall } from "../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { type ContentText, joinContents, readImageUrl } from "../image-field.ts";
import { parseRole } from "../read-fields.ts";
import type { ContentPart, MessageBody } from "./schema.ts";

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE` */
export function toMessages(messages: readonly MessageBody[]): PromptMessage[] {
  /** Tool name of each call: an answer names only the call. */
  const toolNames = new Map<string, string>();
  return messages.map((message, index) => {
    const result = toMessage(message, `messages.${index}`);
    for (const { id, name } of result.toolCalls ?? []) {
      if (id !== undefined) toolNames.set(id, name);
    }
    const toolName = toolNames.get(result.toolCallId ?? "");
    return { ...result, ...(toolName !== undefined && { toolName }) };
  });
}

function toMessage(message: MessageBody, where: string): PromptMessage {
  if (message.function_call !== undefined && message.function_call !== null) {
    throw unsupportedField(`${where}.function_call`, "use 'tool_calls' instead");
  }
  if (message.audio !== undefined && message.audio !== null) {
    throw unsupportedField(`${where}.audio`, "a conversation is text");
  }
  const role = parseRole(message.role, where);
  const toolCalls = (message.tool_calls ?? []).map((call, index) =>
    toToolCall(call, `${where}.tool_calls.${index}`),
  );
  if (toolCalls.length > 0 && role !== "assistant") {
    throw invalidField(`${where}.tool_calls`, `'${where}.tool_calls' belongs to an assistant.`);
  }
  const thinking = message.reasoning_content ?? message.reasoning;
  const { text, images } = contentOf(message, where);
  return {
    // OpenAI's newer name; chat templates know the older one.
    role: role === "developer" ? "system" : role,
    content: text,
    ...(images.length > 0 && { images }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(thinking && role === "assistant" && { thinking }),
    ...(message.tool_call_id && { toolCallId: message.tool_call_id }),
  };
}

function contentOf({ content, refusal, tool_calls }: MessageBody, where: string): ContentText {
  if (typeof content === "string") return { text: content, images: [] };
  if (Array.isArray(content)) return readParts(content, `${where}.content`);
  if (typeof refusal === "string") return { text: refusal, images: [] };
  if ((tool_calls?.length ?? 0) > 0) return { text: "", images: [] };
  throw invalidField(
    `${where}.content`,
    `invalid message content type: <nil>; '${where}.content' may only be left out beside tool calls.`,
  );
}

type ToolCallBody = NonNullable<MessageBody["tool_calls"]>[number];

function toToolCall({ id, type, function: called }: ToolCallBody, where: string): ToolCall {
  if (typeof type === "string" && type !== "function") {
    throw unsupportedField(
      `${where}.type`,
      `${quoteShort(type)} is not a supported type; use function`,
    );
  }
  if (called === undefined || called === null) {
    throw invalidField(`${where}.function`, `${where}.function is required`);
  }
  const param = `${where}.function.arguments`;
  return {
    id: id ?? undefined,
    name: called.name,
    arguments: parseArguments(called.arguments, param),
  };
}

function parseArguments(text: string, param: string): Record<string, unknown> {
  const value = parseJson(text);
  if (isRecord(value)) {
    return { ...value };
  }
  throw invalidField(
    param,
    `invalid tool call arguments: '${param}' must be the text of a JSON object.`,
  );
}

/**
 * @param where the content's place in the request
 * @returns the texts joined, with the images between them
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_IMAGE_REMOTE`
 */
export function readParts(parts: readonly ContentPart[], where: string): ContentText {
  return joinContents(parts.map((part, index) => readPart(part, `${where}.${index}`)));
}

function readPart(part: ContentPart, where: string): ContentText {
  if (part.type === "text" && typeof part.text === "string") return { text: part.text, images: [] };
  if (part.type === "refusal" && typeof part.refusal === "string") {
    return { text: part.refusal, images: [] };
  }
  if (part.type === "image_url") {
    const { image_url: image } = part;
    const url = typeof image === "object" && image !== null && "url" in image ? image.url : image;
    return { text: "", images: [readImageUrl(url, where)] };
  }
  if (part.type === "text" || part.type === "refusal") {
    const param = `${where}.${part.type}`;
    throw invalidField(param, `invalid message format: '${param}' must be a string.`);
  }
  throw invalidField(
    where,
    `invalid message format: '${where}' has the type ${quoteShort(part.type)}, which this server cannot read.`,
  );
}
