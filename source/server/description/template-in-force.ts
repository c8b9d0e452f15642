// Which template writes a model's prompts, why, and what the model can do by it.
import { ProductError } from "../../base/product-error.ts";
import { type Capability, capabilitiesOf } from "../../prompt/capabilities.ts";
import { chooseTemplate } from "../../prompt/choose-template.ts";
import type { ResolvedModel } from "../../store/library/resolved-model.ts";

export interface TemplateOrigin {
  /** `none`: the model writes no text, or its template cannot be read. */
  origin: "modelfile" | "gguf" | "fallback" | "none";
  language?: "go" | "jinja";
  /** One sentence. */
  reason: string;
  /** Nobody chose it: it may not be what the model was trained on. */
  is_guess: boolean;
}

export interface TemplateReading {
  template: string | undefined;
  origin: TemplateOrigin;
  capabilities: Capability[];
}

/** A template that cannot be read is told of, not thrown: everything else can still be shown. */
export function readTemplate({
  template: modelfile,
  facts,
  projectors,
}: Pick<ResolvedModel, "template" | "facts" | "projectors">): TemplateReading {
  if (facts.isEmbeddingOnly) {
    const reason = "The model makes vectors of texts and needs no template.";
    return { ...noTemplate(reason), capabilities: ["embedding"] };
  }
  if (!facts.hasWeights) {
    return {
      ...noTemplate("The file holds a vocabulary alone, without weights."),
      capabilities: [],
    };
  }
  try {
    const { template, reason, isGuess } = chooseTemplate({ modelfile, gguf: facts.chatTemplate });
    const { source, kind, origin } = template;
    return {
      template: source,
      origin: {
        // A request brings its own template, which a description knows nothing of.
        origin: origin === "request" ? "modelfile" : origin,
        language: kind,
        reason,
        is_guess: isGuess,
      },
      capabilities: capabilitiesOf(template, {
        hasPooling: false,
        hasVision: projectors.length > 0,
        hasToolTemplate: kind === "jinja" && facts.toolTemplate !== undefined,
      }),
    };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { ...noTemplate(error.sentence), capabilities: ["completion"] };
  }
}

function noTemplate(reason: string): Omit<TemplateReading, "capabilities"> {
  return { template: undefined, origin: { origin: "none", reason, is_guess: false } };
}
