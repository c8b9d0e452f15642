// Interface of prompt templates, whatever language they are written in.
import type { ChatMessage, ToolDefinition } from "./chat-message.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import type { RenderLimits } from "./render-budget.ts";

/** Facts about the loaded model that templates need. */
export interface TemplateModelFacts {
  bosText: string;
  eosText: string;
  controlTexts: readonly string[];
}

export interface PromptMessage extends ChatMessage {
  /** Assistant's thinking before its answer. */
  thinking?: string;
}

/** Thinking before the answer: on, off, or how much of it. */
export type ThinkSetting = boolean | "low" | "medium" | "high" | "max";

/** Variables that a request sets for a Jinja template. */
export type TemplateVariables = Readonly<Record<string, string | number | boolean>>;

export interface Conversation {
  messages: readonly PromptMessage[];
  tools?: readonly ToolDefinition[];
  /**
   * False continues the last message, an assistant's, instead of starting a new one. Absent: it is
   * continued if the last message is an assistant's answer without tool calls.
   */
  addGenerationPrompt?: boolean;
  /** Absent: the template's default. */
  think?: ThinkSetting;
  /** Text that follows the answer: the model fills in the gap after the last user message. */
  suffix?: string;
  /** Unused by templates in Go's language. */
  variables?: TemplateVariables;
}

export interface RenderOptions {
  /** Absent: the limits for a thread that nobody waits for. */
  limits?: RenderLimits;
  /** Date for templates that print it. */
  now?: Date;
}

export interface PromptTemplate {
  readonly kind: "jinja" | "go";
  readonly source: string;
  /** Source of the template: the Modelfile, the request, the model's file, or a default. */
  readonly origin: "modelfile" | "request" | "gguf" | "fallback";
  /** True if the template uses tools. */
  readonly supportsTools: boolean;
  /** True if the template can ask for text between two texts. */
  readonly supportsInsert: boolean;
  /**
   * @returns the prompt in segments: the template's own text may become control tokens, text of the
   *   conversation never does, and every image has its place
   * @throws ProductError `PROMPT_TEMPLATE_REFUSED`, `PROMPT_TEMPLATE_INVALID`,
   *   `PROMPT_TEMPLATE_FAILED`, `PROMPT_TEMPLATE_TOO_COSTLY`
   */
  render(
    conversation: Conversation,
    model: TemplateModelFacts,
    options?: RenderOptions,
  ): PromptSegment[];
}

/** Returns true if the model continues the last message instead of starting a new one. */
export function continuesLastMessage({ messages, addGenerationPrompt }: Conversation): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  const isAnswer = (last.toolCalls ?? []).length === 0;
  return addGenerationPrompt === undefined ? isAnswer : !addGenerationPrompt;
}
