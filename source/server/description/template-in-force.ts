// The template that renders a model's prompts, the reason for choosing it, and its capabilities.
import { ProductError } from "../../base/product-error.ts";
import { type Capability, capabilitiesOf, chooseTemplate } from "../../prompt/choose-template.ts";
import type { PromptTemplate } from "../../prompt/prompt-template.ts";
import { tryTemplate, type UnsupportedConversation } from "../../prompt/template-trials.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";

export interface TemplateOrigin {
  /** `none`: the model generates no text, or its template is unreadable. */
  origin: "modelfile" | "gguf" | "fallback" | "none";
  language?: "go" | "jinja";
  /** One sentence. */
  reason: string;
  /** Chosen by default: it may not be the template the model was trained with. */
  is_guess: boolean;
  /** Conversations that the template failed in a trial; absent: it passed all. */
  unsupported?: Array<Pick<UnsupportedConversation, "conversation" | "reason">>;
}

export interface TemplateReading {
  template: PromptTemplate | undefined;
  origin: TemplateOrigin;
  capabilities: Capability[];
}

/** Reports an unreadable template instead of throwing: the rest can still be shown. */
export function readTemplate({
  template: modelfile,
  facts,
  projectors,
}: Pick<ResolvedModel, "template" | "facts" | "projectors">): TemplateReading {
  if (facts.isReranker) {
    return {
      ...noTemplate("The model ranks documents and needs no template."),
      capabilities: ["rerank"],
    };
  }
  if (facts.isEmbeddingOnly) {
    const reason = "The model computes embeddings and needs no template.";
    return { ...noTemplate(reason), capabilities: ["embedding"] };
  }
  if (!facts.hasWeights) {
    return {
      ...noTemplate("The file has a vocabulary but no weights."),
      capabilities: [],
    };
  }
  try {
    const { template, reason, isGuess } = chooseTemplate({
      modelfile,
      gguf: facts.chatTemplate,
      toolUse: facts.toolTemplate,
    });
    const { kind, origin } = template;
    return {
      template,
      origin: {
        // A template in the request is unknown to a description.
        origin: origin === "request" ? "modelfile" : origin,
        language: kind,
        reason,
        is_guess: isGuess,
      },
      capabilities: capabilitiesOf(template, {
        hasVision: projectors.length > 0,
        hasToolTemplate: kind === "jinja" && facts.toolTemplate !== undefined,
      }),
    };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { ...noTemplate(error.sentence), capabilities: ["completion"] };
  }
}

/** Lists the conversations that the template in force cannot render, tried within `timeoutMs`. */
export async function unsupportedConversations(
  { facts }: Pick<ResolvedModel, "facts">,
  { template }: Pick<TemplateReading, "template">,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<UnsupportedConversation[]> {
  if (template === undefined || template.origin === "fallback") return [];
  const toolSource = template.kind === "jinja" ? facts.toolTemplate : undefined;
  return await tryTemplate(template, toolSource, timeoutMs, signal);
}

/** Warnings for the creator of a model: chats that will fail, and an unsupported system prompt. */
export async function templateWarnings(
  model: Pick<ResolvedModel, "template" | "facts" | "projectors" | "system">,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<string[]> {
  const reading = readTemplate(model);
  const { isEmbeddingOnly, hasWeights } = model.facts;
  if (reading.template === undefined) {
    return isEmbeddingOnly || !hasWeights ? [] : [reading.origin.reason];
  }
  return (await unsupportedConversations(model, reading, timeoutMs, signal))
    .filter(
      ({ conversation, fails }) =>
        fails || (conversation === "system prompts" && model.system !== undefined),
    )
    .map(unsupportedText);
}

function unsupportedText({
  conversation,
  reason,
}: Pick<UnsupportedConversation, "conversation" | "reason">): string {
  return `The prompt template does not support ${conversation}. ${reason}`;
}

function noTemplate(reason: string): Omit<TemplateReading, "capabilities"> {
  return { template: undefined, origin: { origin: "none", reason, is_guess: false } };
}
