// Checks of a tool choice that all APIs with such a choice share.
import { quoteShort } from "../../base/display-text.ts";
import type { ToolDefinition } from "../../prompt/chat-message.ts";
import { invalidField } from "../errors.ts";

/**
 * @param param the field that demands a call
 * @throws ProductError `SERVER_FIELD_INVALID` when there is nothing to call
 */
export function demandTools(tools: readonly ToolDefinition[], param: string): void {
  if (tools.length > 0) return;
  throw invalidField(param, `'${param}' demands a tool call, but there are no tools to call.`);
}

/**
 * @param param the field that holds the name
 * @throws ProductError `SERVER_FIELD_INVALID` when no tool has this name
 */
export function chosenTool(
  name: string,
  tools: readonly ToolDefinition[],
  param: string,
): { name: string } {
  if (tools.some((tool) => tool.name === name)) return { name };
  throw invalidField(param, `'${param}' is ${quoteShort(name)}, which is none of the tools.`);
}
