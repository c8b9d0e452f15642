// What turns a conversation into a prompt, whatever language the template is written in.
import type { ChatMessage, ToolDefinition } from "./chat-message.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import type { RenderLimits } from "./render-budget.ts";

/** What a template needs to know of the loaded model. */
export interface TemplateModelFacts {
  bosText: string;
  eosText: string;
  controlTexts: readonly string[];
}

export interface PromptMessage extends ChatMessage {
  /** What an assistant thought before its answer. */
  thinking?: string;
}

/** Whether the model is to think before it answers, and how much. */
export type ThinkSetting = boolean | "low" | "medium" | "high" | "max";

/** What a request sets for a Jinja template beside the conversation. */
export type TemplateVariables = Readonly<Record<string, string | number | boolean>>;

export interface Conversation {
  messages: readonly PromptMessage[];
  tools?: readonly ToolDefinition[];
  /**
   * False continues the last message, an assistant's, instead of beginning a new one. Absent: it is
   * continued if the last message is an assistant's answer without tool calls.
   */
  addGenerationPrompt?: boolean;
  /** Absent: the template's own default. */
  think?: ThinkSetting;
  /** What is to follow the answer: the model fills the gap behind the last user message. */
  suffix?: string;
  /** Templates in Go's language have no place for them. */
  variables?: TemplateVariables;
}

export interface RenderOptions {
  /** Absent: those of a thread that nobody waits for. */
  limits?: RenderLimits;
  /** The day that templates name. */
  now?: Date;
}

export interface PromptTemplate {
  readonly kind: "jinja" | "go";
  readonly source: string;
  /** The Modelfile, the request, the model's file, or none of them: a default. */
  readonly origin: "modelfile" | "request" | "gguf" | "fallback";
  /** Whether the template does anything with tools. */
  readonly supportsTools: boolean;
  /** Whether the template can ask for text between two texts. */
  readonly supportsInsert: boolean;
  /**
   * @returns the prompt in pieces: the template's own text may become control tokens, text of the
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

/** Whether the model goes on with the last message instead of beginning one. */
export function continuesLastMessage({ messages, addGenerationPrompt }: Conversation): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return false;
  const isAnswer = (last.toolCalls ?? []).length === 0;
  return addGenerationPrompt === undefined ? isAnswer : !addGenerationPrompt;
}
