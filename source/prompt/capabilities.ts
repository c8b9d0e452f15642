// What a model can do, as `show` and `/api/show` list it.
import { detectOutputFormat } from "./output/detect-output-format.ts";
import type { PromptTemplate } from "./prompt-template.ts";

export type Capability = "completion" | "tools" | "insert" | "vision" | "embedding" | "thinking";

/** What the model's files say. */
export interface CapabilityFacts {
  /** It makes one vector of a text: its file names a way of pooling. */
  hasPooling: boolean;
  /** It takes images: there is a projector, or vision blocks in the model itself. */
  hasVision: boolean;
  /** It has a template of its own for requests with tools. */
  hasToolTemplate?: boolean;
}

/**
 * Told from the text of the template that is in force: tools if it mentions them, insert if it has a
 * place for a suffix, thinking if it has tags for it.
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
