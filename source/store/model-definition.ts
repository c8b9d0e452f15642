// The content of a Modelfile, or of a create request.
import type { ModelParameters } from "./model-parameters.ts";

/** A message of the model, put before those of a request. */
export interface StoredMessage {
  role: "system" | "user" | "assistant";
  content: string;
}

/** Completes a definition with empty fields. */
export function defineModel(
  definition: Pick<ModelDefinition, "from"> & Partial<ModelDefinition>,
): ModelDefinition {
  return {
    adapters: [],
    drafts: [],
    template: undefined,
    system: undefined,
    licenses: [],
    parameters: {},
    messages: [],
    renderer: undefined,
    parser: undefined,
    requires: undefined,
    ...definition,
  };
}

/** Paths and names are as written; `createModel` resolves them. */
export interface ModelDefinition {
  /** Files, directories or model names, at least one. */
  from: string[];
  /** LoRA files. */
  adapters: string[];
  /** Files of draft models. */
  drafts: string[];
  /** In Go's template language. */
  template: string | undefined;
  system: string | undefined;
  licenses: string[];
  parameters: ModelParameters;
  messages: StoredMessage[];
  renderer: string | undefined;
  parser: string | undefined;
  /** The oldest Ollama version that it requires. */
  requires: string | undefined;
}

/**
 * Fields that this engine ignores: kept for other programs, and reported. Each text completes a
 * sentence.
 */
export const ignoredFields = {
  renderer:
    "is kept, but has no effect here: prompts follow the TEMPLATE, or the model's own template.",
  parser: "is kept, but has no effect here: the template decides how answers are parsed.",
  typicalP: "is kept, but has no effect here: this engine has no such sampler; min_p is similar.",
} as const;
