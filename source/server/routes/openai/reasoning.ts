// Whether, and how hard, the model is to think.
import { quoteShort } from "../../../base/display-text.ts";
import type { ThinkLevel } from "../../../engine/request.ts";
import { detectOutputFormat } from "../../../prompt/output/detect-output-format.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { invalidField } from "../../errors.ts";
import { parseThink } from "../native/answer-settings.ts";
import { readTemplateVariables, thinkingOf } from "../template-variables.ts";

export interface ReasoningFields {
  chat_template_kwargs?: Record<string, unknown>;
  think?: boolean | string;
  reasoning_effort?: string;
  reasoning?: { effort?: string | null };
}

/** OpenAI's words, and Ollama's further one, by what they mean here. */
const efforts: Readonly<Record<string, ThinkLevel>> = {
  none: false,
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  ultra: "max",
  max: "max",
};

/**
 * `think` wins over an effort and is refused by the engine when the model cannot think. An effort is
 * only a hint, and so are a template's variables: many clients send them to every model alike, so one
 * that cannot think does not mind.
 *
 * @returns undefined: as the model does it
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function toThink(
  { think, reasoning_effort, reasoning, chat_template_kwargs }: ReasoningFields,
  model: ResolvedModel,
): ThinkLevel | undefined {
  const variables = thinkingOf(readTemplateVariables(chat_template_kwargs));
  const isNested = reasoning_effort === undefined;
  const effort = reasoning_effort ?? reasoning?.effort ?? undefined;
  const named =
    toLevel(effort, isNested ? "reasoning.effort" : "reasoning_effort") ??
    toLevel(variables.effort, "chat_template_kwargs.reasoning_effort");
  if (think !== undefined) return parseThink(think);
  // A switch that is off wins over how hard; one that is on says less.
  const wanted = variables.think === false ? false : (named ?? variables.think);
  return wanted === undefined || canThink(model) ? wanted : false;
}

/**
 * @param param the field that the effort comes from
 * @throws ProductError `SERVER_FIELD_INVALID` naming all the efforts there are
 */
function toLevel(effort: string | undefined, param: string): ThinkLevel | undefined {
  if (effort === undefined) return undefined;
  if (Object.hasOwn(efforts, effort)) return efforts[effort];
  throw invalidField(
    param,
    `'${param}' is ${quoteShort(effort)}, but must be one of ${Object.keys(efforts).join(", ")}.`,
  );
}

/** Whether the template in force knows thinking. */
function canThink({ template, facts }: ResolvedModel): boolean {
  const isGo = template !== undefined && template.trim() !== "";
  const source = isGo ? template : (facts.chatTemplate ?? "");
  return detectOutputFormat(source, isGo ? "go" : "jinja").thinking !== undefined;
}
