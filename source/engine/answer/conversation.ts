// Conversation that a model sees: its own system prompt and messages, then those of the request.
import type { PromptMessage } from "../../prompt/prompt-template.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import type { ChatInput } from "../request.ts";

/** Maps OpenAI's role `developer`, which templates do not know, to `system`. */
function withKnownRole(message: PromptMessage): PromptMessage {
  return message.role === "developer" ? { ...message, role: "system" } : message;
}

/** Adds the model's SYSTEM unless the request begins with one, as Ollama does. */
export function conversationOf(model: ResolvedModel, input: ChatInput): PromptMessage[] {
  const { context } = input;
  const messages = input.messages.map(withKnownRole);
  const [first] = messages;
  const speaks = first?.role === "system";
  const own = context === undefined ? model.messages : [];
  if (speaks && first !== undefined) return [first, ...own, ...messages.slice(1)];
  const system: PromptMessage[] =
    model.system === undefined || model.system === ""
      ? []
      : [{ role: "system", content: model.system }];
  return [...system, ...own, ...messages];
}

/**
 * Removes the oldest turn: a question with everything that answers it. System prompts and the last turn
 * stay.
 *
 * @returns undefined when nothing can be left out
 */
export function withoutOldestTurn(messages: readonly PromptMessage[]): PromptMessage[] | undefined {
  const isSystem = ({ role }: PromptMessage) => role === "system";
  const first = messages.findIndex((message) => !isSystem(message));
  const lastQuestion = messages.findLastIndex(({ role }) => role === "user");
  const next = messages.findIndex(({ role }, index) => index > first && role === "user");
  const end = next === -1 ? lastQuestion : next;
  if (first === -1 || end <= first) return undefined;
  return messages.filter((message, index) => isSystem(message) || index < first || index >= end);
}
