// The messages of a chat completion request as the conversation that a model sees.

import { quoteShort } from "../../../base/display-text.ts";
import { isRecord } from "../../../base/json-record.ts";
import type { ToolCall } from "../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import type { ContentText } from "../image-field.ts";
import { parseRole } from "../message-role.ts";
import { readParts } from "./content-parts.ts";
import type { MessageBody } from "./schema.ts";

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`, `SERVER_IMAGE_REMOTE` */
export function toMessages(messages: readonly MessageBody[]): PromptMessage[] {
  /** Which tool each call was for: an answer only names the call. */
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
    throw unsupportedField(
      `${where}.function_call`,
      "it is the older form of 'tool_calls', which is",
    );
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
    // OpenAI's newer word; templates of models know the older one.
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
    throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not function`);
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Told below, with what is no object.
  }
  if (isRecord(value)) {
    return { ...value };
  }
  throw invalidField(
    param,
    `invalid tool call arguments: '${param}' must be the text of a JSON object.`,
  );
}
