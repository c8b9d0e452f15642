// Renders conversations through Go templates, for tests.
import { GoChatTemplate } from "../../../source/prompt/go-template/go-chat-template.ts";
import type { PromptSegment } from "../../../source/prompt/prompt-segment.ts";
import type { Conversation, TemplateModelFacts } from "../../../source/prompt/prompt-template.ts";
import { fullLimits, type RenderLimits } from "../../../source/prompt/render-budget.ts";

export const facts: TemplateModelFacts = {
  bosText: "<s>",
  eosText: "</s>",
  controlTexts: ["<|im_start|>", "<|im_end|>", "</s>", "<s>"],
};

export function joined(segments: readonly PromptSegment[]): string {
  return segments.map(({ text }) => text).join("");
}

/** The prompt as one text. */
export function prompt(
  source: string,
  conversation: Conversation | string,
  limits: RenderLimits = fullLimits(5000),
): string {
  return joined(segments(source, conversation, limits));
}

/** @param conversation or one user message */
export function segments(
  source: string,
  conversation: Conversation | string,
  limits: RenderLimits = fullLimits(5000),
): PromptSegment[] {
  const whole: Conversation =
    typeof conversation === "string"
      ? { messages: [{ role: "user", content: conversation }] }
      : conversation;
  return new GoChatTemplate(source).render(whole, facts, { limits });
}
