// Ids of tool calls as a template wants them.
import type { ChatMessage } from "../chat-message.ts";

/**
 * Mistral's templates refuse a conversation whose call ids are not nine letters and digits. Answers
 * keep pointing to their calls: equal ids stay equal.
 */
export function withTemplateCallIds<Message extends ChatMessage>(
  messages: readonly Message[],
  template: string,
): Message[] {
  if (!/length\s*[!=]=\s*9\b/.test(template)) return [...messages];
  return messages.map((message) => ({
    ...message,
    ...(message.toolCalls !== undefined && {
      toolCalls: message.toolCalls.map((call) => ({
        ...call,
        id: call.id === undefined ? undefined : nineCharacters(call.id),
      })),
    }),
    ...(message.toolCallId !== undefined && { toolCallId: nineCharacters(message.toolCallId) }),
  }));
}

/** The end of an id is the part that differs. */
function nineCharacters(id: string): string {
  return id
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(-9)
    .padStart(9, "0");
}
