// Chat template in Jinja, as GGUF files carry it.
import { ProductError } from "../base/product-error.ts";
import { ControlTextGuard } from "./control-text-guard.ts";
import { promptErrors } from "./errors.ts";
import { hasAllImages, imageSegment, noPlaceForImage, splitAtImages } from "./image-places.ts";
import { RaisedByTemplate } from "./jinja/globals.ts";
import { JinjaTemplate } from "./jinja/jinja-template.ts";
import type { PromptSegment } from "./prompt-segment.ts";
import {
  type Conversation,
  continuesLastMessage,
  type PromptTemplate,
  type RenderOptions,
  type TemplateModelFacts,
} from "./prompt-template.ts";
import { defaultTimeoutMs, fullLimits, type RenderLimits } from "./render-budget.ts";
import { BudgetFault, placeInTemplate, TemplateFault, tooCostly } from "./template-fault.ts";
import {
  conversationForms,
  freeMarks,
  type Marks,
  templateVariables,
} from "./template-variables.ts";

/** ChatML, used and logged if a file has no template. */
export const fallbackTemplate =
  "{%- for message in messages -%}" +
  "{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}" +
  "{%- endfor -%}" +
  "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}";

/** ChatML's end of a turn, which is plain text to a model without this token. */
export const fallbackTurnEnd = "<|im_end|>";

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
      return this.#render(conversation, model, limits, now);
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
    limits: RenderLimits,
    now: Date,
  ): PromptSegment[] {
    const marks = freeMarks(this.source + textOf(conversation));
    const guard = new ControlTextGuard(model.controlTexts, marks.guard);
    const images = conversation.messages.flatMap((message) => message.images ?? []);
    const isContinued = continuesLastMessage(conversation);
    let failure: unknown;
    for (const form of conversationForms(conversation)) {
      try {
        const variables = templateVariables(conversation, model, guard, marks, form, now);
        const rendered = this.#template.render(variables, limits, now);
        const segments = guard.split(isContinued ? upToMark(rendered, marks.end) : rendered);
        if (images.length === 0) return segments;
        const found = withImages(segments, marks);
        if (hasAllImages(found, images.length)) return found;
        failure ??= new RaisedByTemplate(noPlaceForImage);
      } catch (error) {
        if (!(error instanceof TemplateFault) || error instanceof BudgetFault) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  /**
   * Returns the template's variables for each form of the conversation to try. Control texts of the
   * conversation are marked in them.
   */
  variables(
    conversation: Conversation,
    model: TemplateModelFacts,
    now: Date,
  ): Array<Record<string, unknown>> {
    const marks = freeMarks(this.source + textOf(conversation));
    const guard = new ControlTextGuard(model.controlTexts, marks.guard);
    return conversationForms(conversation).map((form) =>
      templateVariables(conversation, model, guard, marks, form, now),
    );
  }

  /** Renders given variables, for comparisons with other engines. */
  renderVariables(variables: Readonly<Record<string, unknown>>, now: Date): string {
    return this.#template.render(variables, fullLimits(defaultTimeoutMs), now);
  }
}

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
