// Capabilities of a model, as `show` and `/api/show` list them.
import { detectOutputFormat } from "./output/detect-output-format.ts";
import type { PromptTemplate } from "./prompt-template.ts";

export type Capability = "completion" | "tools" | "insert" | "vision" | "embedding" | "thinking";

/** Facts from the model's files. */
export interface CapabilityFacts {
  /** The model returns one vector per text: its file names a pooling type. */
  hasPooling: boolean;
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
  if (facts.hasPooling) return ["embedding"];
  const found: Array<[Capability, boolean]> = [
    ["completion", true],
    ["tools", template.supportsTools || facts.hasToolTemplate === true],
    ["insert", template.supportsInsert],
    ["vision", facts.hasVision],
    ["thinking", detectOutputFormat(template.source, template.kind).thinking !== undefined],
  ];
  return found.filter(([, has]) => has).map(([capability]) => capability);
}
