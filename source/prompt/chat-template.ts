// Renders conversations through the Jinja template that a GGUF file carries.
import { Template } from "@huggingface/jinja";
import { ProductError } from "../base/product-error.ts";
import type { ChatMessage, ToolDefinition } from "./chat-message.ts";
import { ControlTextGuard } from "./control-text-guard.ts";
import { promptErrors } from "./errors.ts";
import type { PromptSegment } from "./prompt-segment.ts";

/** Used when a file brings no template; said in the log when it is. */
export const fallbackTemplate =
  "{%- for message in messages -%}" +
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

/** What a template needs to know of the loaded model. */
export interface TemplateModelFacts {
  bosText: string;
  eosText: string;
  controlTexts: readonly string[];
}

export interface Conversation {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** False continues the last assistant message instead of beginning a new one. */
  addGenerationPrompt?: boolean;
}

export class ChatTemplate {
  readonly source: string;
  /** `gguf`: the file's own. `fallback`: ChatML, since the file has none. */
  readonly origin: "gguf" | "fallback";
  readonly #template: Template;

  /** @throws ProductError `PROMPT_TEMPLATE_INVALID` */
  constructor(source: string | undefined) {
    this.source = source ?? fallbackTemplate;
    this.origin = source === undefined ? "fallback" : "gguf";
    try {
      this.#template = new Template(this.source);
    } catch (error) {
      throw new ProductError(promptErrors.templateInvalid, {
        message: `The model's chat template cannot be read: ${reasonOf(error)}.`,
        hint: "Give the model a template of its own, or send raw prompts.",
        cause: error,
      });
    }
  }

  /** Whether the template does anything with tools. */
  get supportsTools(): boolean {
    return /\btools\b|tool_call/.test(this.source);
  }

  /**
   * @returns the prompt in pieces: the template's own text may become control tokens, text of the
   *   conversation never does
   * @throws ProductError `PROMPT_TEMPLATE_REFUSED` with the template's own words
   */
  render(conversation: Conversation, model: TemplateModelFacts): PromptSegment[] {
    const guard = this.#guardFor(conversation, model);
    const tools = conversation.tools ?? [];
    try {
      const rendered = this.#template.render({
        messages: conversation.messages.map((message) => templateMessage(message, guard)),
        // Templates ask `if tools`; an absent list must be false for them.
        tools: tools.length > 0 ? tools.map((tool) => templateTool(tool, guard)) : null,
        add_generation_prompt: conversation.addGenerationPrompt ?? true,
        bos_token: model.bosText,
        eos_token: model.eosText,
      });
      return guard.split(rendered);
    } catch (error) {
      throw new ProductError(promptErrors.templateRefused, {
        message: `The model's chat template does not accept this conversation: ${reasonOf(error)}.`,
        hint: "Check the roles and their order.",
        cause: error,
      });
    }
  }

  #guardFor(conversation: Conversation, model: TemplateModelFacts): ControlTextGuard {
    const all = this.source + JSON.stringify(conversation);
    return new ControlTextGuard(model.controlTexts, (character) => all.includes(character));
  }
}

function templateMessage(message: ChatMessage, guard: ControlTextGuard): Record<string, unknown> {
  return {
    role: message.role,
    content: guard.protect(message.content),
    ...(message.toolCalls !== undefined && {
      tool_calls: message.toolCalls.map((call) => ({
        id: guard.protect(call.id ?? ""),
        type: "function",
        function: guard.protectAll({ name: call.name, arguments: call.arguments }),
      })),
    }),
    ...(message.toolName !== undefined && { name: guard.protect(message.toolName) }),
    ...(message.toolCallId !== undefined && { tool_call_id: guard.protect(message.toolCallId) }),
  };
}

function templateTool(tool: ToolDefinition, guard: ControlTextGuard): Record<string, unknown> {
  const { name, description, parameters } = tool;
  return guard.protectAll({
    type: "function",
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  });
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\.$/, "");
}
