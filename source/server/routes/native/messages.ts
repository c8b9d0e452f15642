// Converts messages and tools of a native request for the prompt.
import type { ChatImage, ToolCall, ToolDefinition } from "../../../prompt/chat-message.ts";
import type { PromptMessage } from "../../../prompt/prompt-template.ts";
import { parseRole } from "../read-fields.ts";
import { checkToolName } from "../tool-fields.ts";
import type { NativeMessage, NativeTool, NativeToolCall } from "./schema.ts";

/**
 * @param where it is in the request: `messages.0`
 * @throws ProductError `SERVER_FIELD_INVALID` for a role that there is not
 */
export function toPromptMessage(
  message: NativeMessage,
  images: readonly ChatImage[] = [],
  where = "messages",
): PromptMessage {
  const { thinking, tool_calls: calls, tool_name: toolName, tool_call_id: toolCallId } = message;
  return {
    role: parseRole(message.role, where),
    content: message.content ?? "",
    ...(images.length > 0 && { images }),
    ...(thinking && { thinking }),
    ...(calls && calls.length > 0 && { toolCalls: calls.map(toToolCall) }),
    ...(toolName && { toolName }),
    ...(toolCallId && { toolCallId }),
  };
}

function toToolCall({ id, function: called }: NativeToolCall): ToolCall {
  return { id: id ?? undefined, name: called.name, arguments: called.arguments ?? {} };
}

/**
 * Keeps the order of a schema's properties: models were trained on it.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function toToolDefinition({ function: tool }: NativeTool, index = 0): ToolDefinition {
  return {
    name: checkToolName(tool.name, `tools.${index}.function.name`),
    description: tool.description ?? undefined,
    parameters: tool.parameters ?? undefined,
  };
}
