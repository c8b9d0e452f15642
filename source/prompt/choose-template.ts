// Choice of the template for a model's prompts, with the reason, and the capabilities that it gives.
import { ChatTemplate } from "./chat-template.ts";
import { GoChatTemplate } from "./go-template/go-chat-template.ts";
import { detectOutputFormat } from "./output/detect-output-format.ts";
import type { PromptTemplate } from "./prompt-template.ts";

interface TemplateSources {
  /** `TEMPLATE` of the Modelfile, in Go's template language. */
  modelfile: string | undefined;
  /** `tokenizer.chat_template` of the model's file, in Jinja. */
  gguf: string | undefined;
  /** `tokenizer.chat_template.tool_use` of the model's file, in Jinja. */
  toolUse?: string | undefined;
}

interface TemplateUse {
  /** The request has tools, for which the model's file may have a separate template. */
  hasTools?: boolean;
}

interface ChosenTemplate {
  template: PromptTemplate;
  origin: PromptTemplate["origin"];
  /** Sentence for the user. */
  reason: string;
  /** True if nobody chose the template, which the user should know. */
  isGuess: boolean;
}

/**
 * Chooses a template: a non-empty TEMPLATE always wins, since the model's author set it; then the one in
 * the model's file; else a default.
 *
 * @throws ProductError `PROMPT_TEMPLATE_INVALID`
 */
export function chooseTemplate(
  { modelfile, gguf, toolUse }: TemplateSources,
  { hasTools = false }: TemplateUse = {},
): ChosenTemplate {
  if (modelfile !== undefined && modelfile.trim() !== "") {
    const template = new GoChatTemplate(modelfile);
    const over = gguf === undefined ? "" : ", which replaces the one in the model's file";
    return chosen(template, `The Modelfile has a TEMPLATE${over}.`);
  }
  const forTools =
    toolUse === undefined ? "" : " (requests with tools use its template named tool_use)";
  const reason = `The model's file brings a Jinja template${forTools}, and no TEMPLATE replaces it.`;
  if (hasTools && toolUse !== undefined) {
    return chosen(new ChatTemplate(toolUse, { isForTools: true }), reason);
  }
  const template = new ChatTemplate(gguf);
  if (template.origin === "gguf") return chosen(template, reason);
  return {
    ...chosen(
      template,
      "The model has no chat template, so it is treated as a base model: `run` with a prompt and /api/generate continue the text; chats use ChatML, which the model may not know.",
    ),
    isGuess: true,
  };
}

function chosen(template: PromptTemplate, reason: string): ChosenTemplate {
  return { template, origin: template.origin, reason, isGuess: false };
}

export type Capability =
  | "completion"
  | "tools"
  | "insert"
  | "vision"
  | "embedding"
  | "rerank"
  | "thinking";

/** Facts from the model's files. */
export interface CapabilityFacts {
  /** The model accepts images: it has a projector, or vision blocks of its own. */
  hasVision: boolean;
  /** The file has a separate template for requests with tools. */
  hasToolTemplate?: boolean;
}

/**
 * Derives capabilities from the template's text: tools if it mentions them, insert if it has a place
 * for a suffix, thinking if it has tags for it.
 */
export function capabilitiesOf(template: PromptTemplate, facts: CapabilityFacts): Capability[] {
  const found: Array<[Capability, boolean]> = [
    ["completion", true],
    ["tools", template.supportsTools || facts.hasToolTemplate === true],
    ["insert", template.supportsInsert],
    ["vision", facts.hasVision],
    ["thinking", detectOutputFormat(template.source, template.kind).thinking !== undefined],
  ];
  return found.filter(([, has]) => has).map(([capability]) => capability);
}
