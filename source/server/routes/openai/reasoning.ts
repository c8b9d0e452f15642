// Thinking: its effort, and the variables of a model's Jinja template that switch it.
import { quoteShort } from "../../../base/display-text.ts";
import type { ThinkLevel } from "../../../engine/request.ts";
import { detectOutputFormat } from "../../../prompt/output/detect-output-format.ts";
import type { TemplateVariables } from "../../../prompt/prompt-template.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { invalidField } from "../../errors.ts";
import { parseThink } from "../native/answer-settings.ts";

interface ReasoningFields {
  chat_template_kwargs?: Record<string, unknown>;
  think?: boolean | string;
  reasoning_effort?: string;
  reasoning?: { effort?: string | null };
}

/** Maps the efforts of OpenAI, and one of Ollama's, to ours. */
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
 * `think` wins over an effort, and the engine refuses it for a model that cannot think. An effort
 * and template variables are hints that many clients send to every model, so such a model ignores
 * them.
 *
 * @returns undefined for the model's default
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
  // A switch that is off wins over an effort; an effort wins over one that is on.
  const wanted = variables.think === false ? false : (named ?? variables.think);
  return wanted === undefined || canThink(model) ? wanted : false;
}

/**
 * @param param the field that the effort comes from
 * @throws ProductError `SERVER_FIELD_INVALID` with a list of the efforts
 */
function toLevel(effort: string | undefined, param: string): ThinkLevel | undefined {
  if (effort === undefined) return undefined;
  if (Object.hasOwn(efforts, effort)) return efforts[effort];
  throw invalidField(
    param,
    `'${param}' is ${quoteShort(effort)}, but must be one of ${Object.keys(efforts).join(", ")}.`,
  );
}

/** Tells if the template in force supports thinking. */
function canThink({ template, facts }: ResolvedModel): boolean {
  const isGo = template !== undefined && template.trim() !== "";
  const source = isGo ? template : (facts.chatTemplate ?? "");
  return detectOutputFormat(source, isGo ? "go" : "jinja").thinking !== undefined;
}

const param = "chat_template_kwargs";

/** Names that the conversation sets. */
const reserved: readonly string[] = [
  "messages",
  "tools",
  "add_generation_prompt",
  "bos_token",
  "eos_token",
];

/** Settings of thinking, by the names that templates use. */
interface ThinkingVariables {
  think?: boolean;
  effort?: string;
}

/**
 * Reads `chat_template_kwargs`, as in llama-server and vLLM.
 *
 * @throws ProductError `SERVER_FIELD_INVALID` for a reserved name, and for a value that is not a
 *   text, number or boolean
 */
export function readTemplateVariables(
  given: Readonly<Record<string, unknown>> = {},
): TemplateVariables {
  const variables = Object.entries(given).map(([name, value]) => {
    const where = `${param}.${name}`;
    if (!/^[A-Za-z_]\w{0,63}$/.test(name) || reserved.includes(name)) {
      throw invalidField(param, `'${param}' has the key ${quoteShort(name)}, which cannot be set.`);
    }
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") {
      throw invalidField(where, `'${where}' must be a string, number or boolean.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(variables);
}

/** @throws ProductError `SERVER_FIELD_INVALID` for a switch that is not a boolean */
function thinkingOf({
  enable_thinking,
  thinking,
  ...others
}: TemplateVariables): ThinkingVariables {
  const think = enable_thinking ?? thinking;
  if (think !== undefined && typeof think !== "boolean") {
    const where = `${param}.${enable_thinking === undefined ? "thinking" : "enable_thinking"}`;
    throw invalidField(where, `'${where}' must be true or false.`);
  }
  const { reasoning_effort: effort } = others;
  return { ...(think !== undefined && { think }), ...(typeof effort === "string" && { effort }) };
}
