// Chat template of a Modelfile (TEMPLATE), written in Go's template language.
import { ProductError } from "../../base/product-error.ts";
import { promptErrors } from "../errors.ts";
import { hasAllImages, noPlaceForImage } from "../image-places.ts";
import type { PromptSegment } from "../prompt-segment.ts";
import {
  type Conversation,
  continuesLastMessage,
  type PromptTemplate,
  type RenderOptions,
  type TemplateModelFacts,
} from "../prompt-template.ts";
import { defaultTimeoutMs, fullLimits, RenderBudget } from "../render-budget.ts";
import { BudgetFault, placeInTemplate, TemplateFault, tooCostly } from "../template-fault.ts";
import { messagesData, roundsData, type TemplateData, thinkData } from "./conversation-values.ts";
import { evaluateTemplate } from "./evaluator.ts";
import { isFunction } from "./functions.ts";
import { type ParsedTemplate, parseTemplate } from "./parser.ts";
import { promptSegments } from "./prompt-segments.ts";
import { fieldsOf, type TemplateNode } from "./syntax-tree.ts";
import { TemplateText } from "./template-text.ts";
import { outsideText } from "./tool-values.ts";
import { type UnknownField, unknownFields } from "./unknown-fields.ts";
import { GoMap } from "./values.ts";

/** Added to a template without a place for the answer. */
const response: TemplateNode = {
  kind: "action",
  at: 0,
  pipe: {
    kind: "pipe",
    at: 0,
    variables: [],
    assigns: false,
    commands: [{ operands: [{ kind: "field", names: ["Response"], at: 0 }], at: 0 }],
  },
};

export class GoChatTemplate implements PromptTemplate {
  readonly kind = "go";
  readonly source: string;
  readonly origin: "modelfile" | "request";
  readonly #template: ParsedTemplate;
  /** Template for the last round, cut where the answer starts. */
  readonly #lastRound: ParsedTemplate;
  /** Lower-case names of the fields that it uses. */
  readonly #fields: ReadonlySet<string>;

  /** @throws ProductError `PROMPT_TEMPLATE_INVALID` with line and column */
  constructor(source: string, origin: "modelfile" | "request" = "modelfile") {
    this.source = source;
    this.origin = origin;
    const parsed = this.#named("cannot be read", () => parseTemplate(source, isFunction));
    const nodes = [parsed.root, ...parsed.definitions.values()].flat();
    this.#fields = new Set([...fieldsOf(nodes)].map((name) => name.toLowerCase()));
    const isComplete = this.#fields.has("messages") || this.#fields.has("response");
    this.#template = isComplete ? parsed : { ...parsed, root: [...parsed.root, response] };
    this.#lastRound = { ...this.#template, root: cutAfterResponse(this.#template.root) };
  }

  /** Fields that no conversation has, which print nothing. */
  get unknownFields(): UnknownField[] {
    return unknownFields(this.#template.root, this.#template.definitions.values());
  }

  get supportsTools(): boolean {
    return this.#fields.has("tools");
  }

  get supportsInsert(): boolean {
    return this.#fields.has("suffix");
  }

  /**
   * @param options `now` is the date for `currentDate`
   * @throws ProductError `PROMPT_TEMPLATE_INVALID` with line and column if the template fails;
   *   `PROMPT_TEMPLATE_TOO_COSTLY`; `PROMPT_TEMPLATE_REFUSED` for a suffix without a place in the template
   */
  render(
    conversation: Conversation,
    model: TemplateModelFacts,
    { limits = fullLimits(defaultTimeoutMs), now = new Date() }: RenderOptions = {},
  ): PromptSegment[] {
    const budget = new RenderBudget(limits);
    const texts = this.#runs(conversation).map(({ template, data }) =>
      this.#named("fails", () =>
        evaluateTemplate(template, new GoMap(new Map(Object.entries(data))), { now }, budget),
      ),
    );
    const isContinued = continuesLastMessage(conversation) && !isSet(conversation.suffix);
    const prompt = joinOnce(texts, model.bosText);
    const whole = isContinued ? cutAfterPrefill(prompt) : prompt;
    const segments = promptSegments(whole, model.controlTexts);
    const images = conversation.messages.reduce((sum, each) => sum + (each.images?.length ?? 0), 0);
    if (hasAllImages(segments, images)) return segments;
    throw new ProductError(promptErrors.templateRefused, {
      message: `The model's TEMPLATE does not accept this conversation: ${noPlaceForImage}.`,
      hint: "Check which messages contain the images.",
    });
  }

  #runs(conversation: Conversation): Array<{ template: ParsedTemplate; data: TemplateData }> {
    if (isSet(conversation.suffix)) {
      return [{ template: this.#template, data: this.#insertData(conversation) }];
    }
    if (this.#fields.has("messages")) {
      return [{ template: this.#template, data: messagesData(conversation) }];
    }
    const rounds = roundsData(conversation);
    return rounds.map((data, index) => ({
      template: index === rounds.length - 1 ? this.#lastRound : this.#template,
      data,
    }));
  }

  #insertData(conversation: Conversation): TemplateData {
    if (!this.supportsInsert) {
      throw new ProductError(promptErrors.templateRefused, {
        message: "The model's TEMPLATE does not support insert: it has no .Suffix.",
        hint: "Send the request without a suffix, or use a model that supports insert.",
        param: "suffix",
      });
    }
    const question = conversation.messages.findLast(({ role }) => role === "user");
    return {
      Prompt: outsideText(question?.content ?? ""),
      Suffix: outsideText(conversation.suffix ?? ""),
      Response: TemplateText.empty,
      ...thinkData(conversation),
    };
  }

  #named<T>(doing: string, run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (error instanceof TemplateFault) throw invalidTemplate(this.source, error, doing);
      throw error;
    }
  }
}

function isSet(suffix: string | undefined): boolean {
  return suffix !== undefined && suffix !== "";
}

/** Joins rounds, with the begin-of-text token once, at the very beginning. */
function joinOnce(texts: readonly TemplateText[], bosText: string): TemplateText {
  const [first = TemplateText.empty, ...others] = texts;
  const start = withoutStart(first, bosText);
  const kept = start === first ? first : TemplateText.join([bosText, withoutStart(start, bosText)]);
  return TemplateText.join([kept, ...others.map((text) => withoutStart(text, bosText))]);
}

function withoutStart(text: TemplateText, start: string): TemplateText {
  const [first, ...others] = text.pieces;
  if (start === "" || first?.origin !== "template" || !first.text.startsWith(start)) return text;
  const rest = { text: first.text.slice(start.length), origin: first.origin };
  return TemplateText.fromPieces([rest, ...others]);
}

/** Cuts off text that a template writes after an unfinished answer, which would end it. */
function cutAfterPrefill(prompt: TemplateText): TemplateText {
  const last = prompt.pieces.findLastIndex(({ origin }) => origin === "prefill");
  return last < 0 ? prompt : TemplateText.fromPieces(prompt.pieces.slice(0, last + 1));
}

/** Returns the nodes up to the first action that prints `.Response`, where the model continues. */
function cutAfterResponse(nodes: readonly TemplateNode[]): readonly TemplateNode[] {
  return cut(nodes).nodes;
}

function cut(nodes: readonly TemplateNode[]): { nodes: readonly TemplateNode[]; isCut: boolean } {
  const kept: TemplateNode[] = [];
  for (const node of nodes) {
    if (node.kind === "action" && fieldsOf([node]).has("Response")) {
      return { nodes: [...kept, node], isCut: true };
    }
    if (!("body" in node)) {
      kept.push(node);
      continue;
    }
    const body = cut(node.body);
    const otherwise = body.isCut ? { nodes: [], isCut: true } : cut(node.otherwise);
    kept.push({ ...node, body: body.nodes, otherwise: otherwise.nodes });
    if (otherwise.isCut) return { nodes: kept, isCut: true };
  }
  return { nodes: kept, isCut: false };
}

/**
 * @param doing the failure, as in "cannot be read"
 * @returns `PROMPT_TEMPLATE_INVALID` with line, column and the text at fault;
 *   `PROMPT_TEMPLATE_TOO_COSTLY`
 */
function invalidTemplate(source: string, fault: TemplateFault, doing: string): ProductError {
  const place = placeInTemplate(source, fault);
  if (fault instanceof BudgetFault) return tooCostly(`The TEMPLATE (${place})`, fault);
  return new ProductError(promptErrors.templateInvalid, {
    message: `The TEMPLATE ${doing} (${place}): ${fault.message}.`,
    hint: /\{%/.test(source)
      ? "It looks like a Jinja template; TEMPLATE takes Go's template language."
      : "Correct the TEMPLATE, or leave it out to use the model's own.",
    cause: fault,
  });
}
