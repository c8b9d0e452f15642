// The prompt template that is in force for a model, or for one request.
import { chooseTemplate } from "../../prompt/choose-template.ts";
import type { PromptTemplate } from "../../prompt/prompt-template.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";

const mostKept = 64;
const known = new Map<string, PromptTemplate>();

/**
 * Reading a template takes milliseconds, and every request needs one: they are kept.
 *
 * @param own a template that the request brings
 * @param hasTools the request has tools, for which a model's file may have a template of its own
 * @throws ProductError `PROMPT_TEMPLATE_INVALID`
 */
export function templateFor(
  { template, facts }: Pick<ResolvedModel, "template" | "facts">,
  own?: string,
  hasTools = false,
): PromptTemplate {
  const explicit = own ?? template;
  const { chatTemplate: gguf, toolTemplate: toolUse } = facts;
  const isForTools = hasTools && toolUse !== undefined;
  const jinja = isForTools ? `tools ${toolUse}` : `jinja ${gguf ?? ""}`;
  const key = explicit?.trim() ? `go ${explicit}` : jinja;
  const found = known.get(key);
  if (found !== undefined) return found;
  const { template: chosen } = chooseTemplate({ modelfile: explicit, gguf, toolUse }, { hasTools });
  if (known.size >= mostKept) known.clear();
  known.set(key, chosen);
  return chosen;
}
