// Tool-call ids in the form that a template requires.
import type { ChatMessage } from "../chat-message.ts";

/**
 * Mistral's templates refuse call ids other than nine letters and digits. Answers keep pointing to their
 * calls: equal ids stay equal.
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

/** Takes the end of an id, which is the part that differs. */
function nineCharacters(id: string): string {
  return id
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(-9)
    .padStart(9, "0");
}
