// Renders conversations through the Jinja template that a GGUF file carries.
import { Template } from "@huggingface/jinja";
import { ProductError } from "../base/product-error.ts";
import type { ToolDefinition } from "./chat-message.ts";
import { ControlTextGuard } from "./control-text-guard.ts";
import { promptErrors } from "./errors.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import {
  type Conversation,
  continuesLastMessage,
  type PromptMessage,
  type PromptTemplate,
  type TemplateModelFacts,
} from "./prompt-template.ts";

/** Used when a file brings no template; said in the log when it is. */
export const fallbackTemplate =
  "{%- for message in messages -%}" +
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

/** Private-use characters, one of which marks where an answer is to be continued. */
const firstMark = 0xf0000;

export class ChatTemplate implements PromptTemplate {
  readonly kind = "jinja";
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

  /** Jinja templates of models have no name for a text behind the gap. */
  get supportsInsert(): boolean {
    return false;
  }

  /**
   * @returns the prompt in pieces: the template's own text may become control tokens, text of the
   *   conversation never does
   * @throws ProductError `PROMPT_TEMPLATE_REFUSED` with the template's own words
   */
  render(conversation: Conversation, model: TemplateModelFacts): PromptSegment[] {
    if (conversation.suffix !== undefined && conversation.suffix !== "") {
      throw new ProductError(promptErrors.templateRefused, {
        message: "The model's chat template does not support insert: it has no place for a suffix.",
        hint: "Send the request without a suffix, or use a model for filling in text.",
        param: "suffix",
      });
    }
    try {
      return this.#render(conversation, model);
    } catch (error) {
      throw new ProductError(promptErrors.templateRefused, {
        message: `The model's chat template does not accept this conversation: ${reasonOf(error)}.`,
        hint: "Check the roles and their order.",
        cause: error,
      });
    }
  }

  #render(conversation: Conversation, model: TemplateModelFacts): PromptSegment[] {
    const all = this.source + JSON.stringify(conversation);
    const mark = freeMark(all);
    const guard = new ControlTextGuard(
      model.controlTexts,
      (character) => character === mark || all.includes(character),
    );
    const messages = conversation.messages.map((message) => templateMessage(message, guard));
    const last = messages.at(-1);
    const continues = continuesLastMessage(conversation) && last !== undefined;
    if (continues) last.content = `${last.content}${mark}`;
    const tools = conversation.tools ?? [];
    const rendered = this.#template.render({
      messages,
      // Templates ask `if tools`; an absent list must be false for them.
      tools: tools.length > 0 ? tools.map((tool) => templateTool(tool, guard)) : null,
      add_generation_prompt: conversation.addGenerationPrompt ?? !continues,
      bos_token: model.bosText,
      eos_token: model.eosText,
      ...thinkArguments(conversation),
    });
    return guard.split(continues ? upToMark(rendered, mark) : rendered);
  }
}

/** The names by which templates know whether to think. */
function thinkArguments({ think }: Conversation): Record<string, unknown> {
  if (think === undefined) return {};
  const thinks = think !== false;
  return {
    enable_thinking: thinks,
    thinking: thinks,
    ...(typeof think === "string" && { reasoning_effort: think }),
  };
}

function freeMark(used: string): string {
  let code = firstMark;
  while (used.includes(String.fromCodePoint(code))) code += 1;
  return String.fromCodePoint(code);
}

/** What a template writes behind an unfinished answer would end it. */
function upToMark(rendered: string, mark: string): string {
  const end = rendered.lastIndexOf(mark);
  if (end < 0) throw new Error("it leaves out the last answer, which is to be continued");
  return rendered.slice(0, end).replaceAll(mark, "");
}

function templateMessage(message: PromptMessage, guard: ControlTextGuard): Record<string, unknown> {
  return {
    role: message.role,
    content: guard.protect(message.content),
    // Templates disagree on the name.
    ...(message.thinking !== undefined && {
      thinking: guard.protect(message.thinking),
      reasoning_content: guard.protect(message.thinking),
    }),
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
