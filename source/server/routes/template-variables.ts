// `chat_template_kwargs`: variables for a model's Jinja template, as llama-server and vLLM take them.
import { quoteShort } from "../../base/display-text.ts";
import type { TemplateVariables } from "../../prompt/prompt-template.ts";
import { invalidField } from "../errors.ts";

const param = "chat_template_kwargs";

/** What the conversation itself says. */
const reserved: readonly string[] = [
  "messages",
  "tools",
  "add_generation_prompt",
  "bos_token",
  "eos_token",
];

/** Asks to think, or how hard, by the names that templates have for it. */
interface ThinkingVariables {
  think?: boolean;
  effort?: string;
}

/**
 * @throws ProductError `SERVER_FIELD_INVALID` for a name that is the server's, and for a value that is
 *   neither a text, a number nor a boolean
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
      throw invalidField(where, `'${where}' must be a text, a number or a boolean.`);
    }
    return [name, value] as const;
  });
  return Object.fromEntries(variables);
}

/** @throws ProductError `SERVER_FIELD_INVALID` for a switch that is no boolean */
export function thinkingOf({
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
