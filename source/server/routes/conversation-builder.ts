// Builds conversations for APIs that send calls, results and thinking as separate pieces.
import type { ToolCall } from "../../prompt/chat-message.ts";
import type { PromptMessage } from "../../prompt/prompt-template.ts";
import { type ContentText, joinContents } from "./image-field.ts";

/**
 * Joins adjacent system prompts, and adjacent messages of a user: many templates expect one system
 * prompt and alternating turns.
 */
export class ConversationBuilder {
  readonly messages: PromptMessage[] = [];
  /** Tool name of each call: a result names only the call. */
  readonly #toolNames = new Map<string, string>();
  /** Thinking that belongs to the assistant's next message. */
  #thinking = "";

  addText(role: "system" | "user" | "assistant", content: string): void {
    this.addContent(role, { text: content, images: [] });
  }

  addContent(role: "system" | "user" | "assistant", content: ContentText): void {
    const last = this.messages.at(-1);
    if (role !== "assistant" && last?.role === role) {
      const before = { text: last.content, images: [...(last.images ?? [])] };
      const { text, images } = joinContents([before, content], "\n\n");
      last.content = text;
      if (images.length > 0) last.images = images;
      return;
    }
    const thinking = role === "assistant" && this.#takeThinking();
    this.messages.push({ role, ...fieldsOf(content), ...thinking });
  }

  /** Adds thinking to the assistant's next message or call. */
  addThinking(text: string): void {
    this.#thinking += text;
  }

  /** Adds a call to the preceding assistant message, if there is one. */
  addCall(call: ToolCall & { id: string }): void {
    this.#toolNames.set(call.id, call.name);
    const last = this.messages.at(-1);
    if (last?.role === "assistant" && this.#thinking === "") {
      last.toolCalls = [...(last.toolCalls ?? []), call];
    } else {
      const thinking = this.#takeThinking();
      this.messages.push({ role: "assistant", content: "", ...thinking, toolCalls: [call] });
    }
  }

  /** @param callId id of an earlier call; the result of an unknown call has no tool name */
  addResult(callId: string, content: ContentText): void {
    const toolName = this.#toolNames.get(callId);
    this.messages.push({
      role: "tool",
      ...fieldsOf(content),
      toolCallId: callId,
      ...(toolName !== undefined && { toolName }),
    });
  }

  #takeThinking(): Pick<PromptMessage, "thinking"> {
    const thinking = this.#thinking;
    this.#thinking = "";
    return thinking === "" ? {} : { thinking };
  }
}

function fieldsOf({ text, images }: ContentText): Pick<PromptMessage, "content" | "images"> {
  return { content: text, ...(images.length > 0 && { images }) };
}
