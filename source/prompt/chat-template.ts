// Chat template in Jinja, as GGUF files carry it.
import { ProductError } from "../base/product-error.ts";
import type { ToolDefinition } from "./chat-message.ts";
import { ControlTextGuard } from "./control-text-guard.ts";
import { promptErrors } from "./errors.ts";
import {
  hasAllImages,
  imageSegment,
  noPlaceForImage,
  placeImages,
  splitAtImages,
} from "./image-places.ts";
import { RaisedByTemplate } from "./jinja/globals.ts";
import { JinjaTemplate } from "./jinja/jinja-template.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import {
  type Conversation,
  continuesLastMessage,
  type PromptMessage,
  type PromptTemplate,
  type RenderOptions,
  type TemplateModelFacts,
} from "./prompt-template.ts";
import { defaultTimeoutMs, fullLimits } from "./render-budget.ts";
import { BudgetFault, placeInTemplate, TemplateFault, tooCostly } from "./template-fault.ts";

/** ChatML, used and logged if a file has no template. */
export const fallbackTemplate =
  "{%- for message in messages -%}" +
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

/** ChatML's end of a turn, which is plain text to a model without this token. */
export const fallbackTurnEnd = "<|im_end|>";

/** First private-use character; no template and hardly any text contains one. */
const firstMark = 0xf0000;

export class ChatTemplate implements PromptTemplate {
  readonly kind = "jinja";
  readonly source: string;
  /** `gguf`: the file's own. `fallback`: ChatML, if the file has none. */
  readonly origin: "gguf" | "fallback";
  /** True if the template uses tools. */
  readonly supportsTools: boolean;
  readonly #template: JinjaTemplate;

  /**
   * @param isForTools true for the file's template for requests with tools
   * @throws ProductError `PROMPT_TEMPLATE_INVALID`
   */
  constructor(source: string | undefined, { isForTools = false } = {}) {
    this.source = source ?? fallbackTemplate;
    this.origin = source === undefined ? "fallback" : "gguf";
    this.supportsTools = isForTools || /\btools\b|tool_call/.test(this.source);
    try {
      this.#template = new JinjaTemplate(this.source);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      throw new ProductError(promptErrors.templateInvalid, {
        message: `The model's chat template cannot be read (${placeInTemplate(this.source, error)}): ${error.message}.`,
        hint: "Give the model a TEMPLATE of its own, or send raw prompts.",
        cause: error,
      });
    }
  }

  /** Jinja templates have no variable for a suffix. */
  get supportsInsert(): boolean {
    return false;
  }

  /**
   * @returns the prompt in segments: the template's own text may become control tokens, text of the
   *   conversation never does
   * @throws ProductError `PROMPT_TEMPLATE_REFUSED` with the template's own message,
   *   `PROMPT_TEMPLATE_FAILED` with the place, `PROMPT_TEMPLATE_TOO_COSTLY`
   */
  render(
    conversation: Conversation,
    model: TemplateModelFacts,
    { limits = fullLimits(defaultTimeoutMs), now = new Date() }: RenderOptions = {},
  ): PromptSegment[] {
    if (conversation.suffix !== undefined && conversation.suffix !== "") {
      throw new ProductError(promptErrors.templateRefused, {
        message: "The model's chat template does not support insert: it has no place for a suffix.",
        hint: "Send the request without a suffix, or use a model that supports insert.",
        param: "suffix",
      });
    }
    try {
      return this.#render(conversation, model, (variables) =>
        this.#template.render(variables, limits, now),
      );
    } catch (error) {
      if (error instanceof TemplateFault) throw renderError(this.source, error);
      if (error instanceof RangeError) {
        throw renderError(this.source, new RaisedByTemplate("its JSON is nested too deeply"));
      }
      throw error;
    }
  }

  #render(
    conversation: Conversation,
    model: TemplateModelFacts,
    run: RunTemplate,
  ): PromptSegment[] {
    const marks = freeMarks(this.source + textOf(conversation));
    const guard = new ControlTextGuard(model.controlTexts, marks.guard);
    const images = conversation.messages.flatMap((message) => message.images ?? []);
    const render = (asParts: boolean) => {
      const rendered = run(templateVariables(conversation, model, guard, marks, asParts));
      const isContinued = continuesLastMessage(conversation);
      return guard.split(isContinued ? upToMark(rendered, marks.end) : rendered);
    };
    if (images.length === 0) return render(false);
    let failure: unknown;
    // Some templates of vision models require every content to be a list of parts.
    for (const asParts of [false, true]) {
      try {
        const found = withImages(render(asParts), marks);
        if (hasAllImages(found, images.length)) return found;
        failure ??= new RaisedByTemplate(noPlaceForImage);
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  /** Returns the template's variables, with control texts of the conversation marked. */
  variables(conversation: Conversation, model: TemplateModelFacts): Record<string, unknown> {
    const marks = freeMarks(this.source + textOf(conversation));
    const guard = new ControlTextGuard(model.controlTexts, marks.guard);
    return templateVariables(conversation, model, guard, marks, false);
  }

  /** Renders given variables, for comparisons with other engines. */
  renderVariables(variables: Readonly<Record<string, unknown>>, now: Date): string {
    return this.#template.render(variables, fullLimits(defaultTimeoutMs), now);
  }
}

type RunTemplate = (variables: Record<string, unknown>) => string;

function renderError(source: string, fault: TemplateFault): ProductError {
  if (fault instanceof RaisedByTemplate) {
    return new ProductError(promptErrors.templateRefused, {
      message: `The model's chat template does not accept this conversation: ${fault.message.replace(/\.$/, "")}.`,
      hint: "Check the roles and their order.",
      cause: fault,
    });
  }
  const place = placeInTemplate(source, fault);
  if (fault instanceof BudgetFault) return tooCostly(`The model's chat template (${place})`, fault);
  return new ProductError(promptErrors.templateFailed, {
    message: `The model's chat template fails with this conversation (${place}): ${fault.message}.`,
    hint: "Give the model a TEMPLATE of its own, or leave out what its chat template does not support.",
    cause: fault,
  });
}

/** @param asParts passes contents as lists of parts */
function templateVariables(
  conversation: Conversation,
  model: TemplateModelFacts,
  guard: ControlTextGuard,
  marks: Marks,
  asParts: boolean,
): Record<string, unknown> {
  const continues = continuesLastMessage(conversation);
  let images = 0;
  const messages = conversation.messages.map((message, index) => {
    const pieces = placeImages(message.content, message.images ?? []).map((piece) =>
      typeof piece === "string" ? guard.protect(piece) : marks.image(images + piece),
    );
    if (continues && index === conversation.messages.length - 1) pieces.push(marks.end);
    images += message.images?.length ?? 0;
    const text = pieces.join("");
    return templateMessage(message, asParts ? [{ type: "text", text }] : text, guard);
  });
  const tools = conversation.tools ?? [];
  return {
    messages,
    // Templates test `if tools`, so an empty list must be false.
    tools: tools.length > 0 ? tools.map((tool) => templateTool(tool, guard)) : null,
    add_generation_prompt: conversation.addGenerationPrompt ?? !continues,
    bos_token: model.bosText,
    eos_token: model.eosText,
    ...guard.protectAll(conversation.variables ?? {}),
    ...thinkArguments(conversation),
  };
}

/** Returns the variables that templates use to turn thinking on or off. */
function thinkArguments({ think }: Conversation): Record<string, unknown> {
  if (think === undefined) return {};
  const thinks = think !== false;
  return {
    enable_thinking: thinks,
    thinking: thinks,
    ...(typeof think === "string" && { reasoning_effort: think }),
  };
}

/** Unused characters that mark places in the rendered prompt. */
interface Marks {
  /** End of the unfinished answer. */
  end: string;
  image: (number: number) => string;
  imagePattern: RegExp;
  guard: [open: string, close: string];
}

function freeMarks(used: string): Marks {
  const free: string[] = [];
  for (let code = firstMark; free.length < 5; code += 1) {
    const character = String.fromCodePoint(code);
    if (!used.includes(character)) free.push(character);
  }
  const [end = "", open = "", close = "", guardOpen = "", guardClose = ""] = free;
  return {
    end,
    image: (number) => `${open}${number}${close}`,
    imagePattern: new RegExp(`${open}(\\d+)${close}`, "u"),
    guard: [guardOpen, guardClose],
  };
}

/** Returns all texts of the conversation, without images. */
function textOf({ messages, ...others }: Conversation): string {
  const texts = messages.map(({ images: _, ...message }) => message);
  return JSON.stringify({ ...others, texts });
}

function withImages(segments: readonly PromptSegment[], { imagePattern }: Marks): PromptSegment[] {
  return segments.flatMap(({ text, special }) =>
    splitAtImages(text, imagePattern).map((part) =>
      typeof part === "string" ? { text: part, special } : imageSegment(part),
    ),
  );
}

/** Cuts off text that a template writes after an unfinished answer, which would end it. */
function upToMark(rendered: string, mark: string): string {
  const end = rendered.lastIndexOf(mark);
  if (end < 0)
    throw new RaisedByTemplate("it leaves out the last answer, which is to be continued");
  return rendered.slice(0, end).replaceAll(mark, "");
}

function templateMessage(
  message: PromptMessage,
  content: unknown,
  guard: ControlTextGuard,
): Record<string, unknown> {
  return {
    role: message.role,
    content,
    // Templates use different names.
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
