// Builds the conversation of APIs whose messages come in pieces: calls, their results, thinking.
import type { ToolCall } from "../../prompt/chat-message.ts";
import type { PromptMessage } from "../../prompt/prompt-template.ts";

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
    const last = this.messages.at(-1);
    if (role !== "assistant" && last?.role === role) {
      last.content = `${last.content}\n\n${content}`;
      return;
    }
    this.messages.push({ role, content, ...(role === "assistant" && this.#takeThinking()) });
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
  addResult(callId: string, content: string): void {
    const toolName = this.#toolNames.get(callId);
    this.messages.push({
      role: "tool",
      content,
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
