// Prompt template in effect for a model or a request.
import { chooseTemplate } from "../../prompt/choose-template.ts";
import type { PromptTemplate } from "../../prompt/prompt-template.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";

const mostCached = 64;
const known = new Map<string, PromptTemplate>();

/**
 * Caches parsed templates: parsing takes milliseconds, and every request needs one.
 *
 * @param own template of the request
 * @param hasTools the request has tools, for which a model's file may have another template
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
  if (known.size >= mostCached) known.clear();
  known.set(key, chosen);
  return chosen;
}
