// Builds the conversation of APIs whose messages come in pieces: calls, their results, thinking.
import type { ToolCall } from "../../prompt/chat-message.ts";
import type { PromptMessage } from "../../prompt/prompt-template.ts";
import { type ContentText, joinContents } from "./image-field.ts";

/**
 * Many templates want one system text at the beginning, and users and assistants in turns. So system
 * texts that follow one another become one, and what a user says in several messages does too.
 */
export class ConversationBuilder {
  readonly messages: PromptMessage[] = [];
  /** Which tool each call was for: a result only names the call. */
  readonly #toolNames = new Map<string, string>();
  /** What an assistant thought before what comes next. */
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

  /** Belongs to what the assistant says or calls next. */
  addThinking(text: string): void {
    this.#thinking += text;
  }

  /** Belongs to the assistant's message before it, if there is one. */
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

  /** @param callId of a call before; a result of an unknown one just has no tool's name */
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
