// `tools` and `tool_choice`: checks and shapes shared by the APIs.
import { quoteShort } from "../../base/display-text.ts";
import type { ChatInput, ToolChoice } from "../../engine/request.ts";
import type { ToolDefinition } from "../../prompt/chat-message.ts";
import { invalidField } from "../errors.ts";
import type { Warn } from "../warnings.ts";

/** Tools that the model may call, and if it must. */
export type ToolUse = Pick<ChatInput, "tools" | "toolChoice" | "parallelToolCalls">;

/**
 * @param param the field that demands a call
 * @throws ProductError `SERVER_FIELD_INVALID` when there is nothing to call
 */
export function demandTools(tools: readonly ToolDefinition[], param: string): void {
  if (tools.length > 0) return;
  throw invalidField(param, `'${param}' demands a tool call, but there are no tools to call.`);
}

/** Header with the tools and blocks of a request that were left out. */
export const leftOutHeader = "x-modelctl-left-out";

/**
 * Reports what only another vendor can run or read: the model does not get it, and the request goes on.
 *
 * @param types as the request names them, such as `web_search`
 */
export function reportLeftOut(types: readonly string[], warn: Warn): void {
  if (types.length === 0) return;
  const all = [...new Set(types)].map((type) => type.slice(0, longestType));
  const others = all.length - maxTypes;
  const names = [...all.slice(0, maxTypes), ...(others > 0 ? [`and ${others} more`] : [])].join(
    ", ",
  );
  warn(`Left out what only its vendor can run: ${names}.`, [leftOutHeader, names]);
}

/** Headers and the log stay short, whatever a client sends. */
const maxTypes = 16;
const longestType = 60;

/**
 * Reads OpenAI's words for a choice.
 *
 * @param param the field that holds the word
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function toolMode(
  word: string,
  tools: readonly ToolDefinition[],
  param: string,
): ToolChoice {
  if (word === "none" || word === "auto") return word;
  if (word !== "required") {
    throw invalidField(
      param,
      `'${param}' is ${quoteShort(word)}, but must be one of none, auto, required.`,
    );
  }
  demandTools(tools, param);
  return word;
}

/**
 * @param param the field that holds the name
 * @throws ProductError `SERVER_FIELD_INVALID` when no tool has this name
 */
export function chosenTool(
  name: string | undefined,
  tools: readonly ToolDefinition[],
  param: string,
): { name: string } {
  if (name === undefined) throw invalidField(param, `${param} is required`);
  if (tools.some((tool) => tool.name === name)) return { name };
  throw invalidField(param, `'${param}' is ${quoteShort(name)}, which is not one of the tools.`);
}

/**
 * Names go into prompts and grammars unchanged, and come back in calls.
 *
 * @throws ProductError `SERVER_FIELD_INVALID` if the name has control characters
 */
export function checkToolName(name: string, param: string): string {
  if (!/\p{Cc}/u.test(name)) return name;
  throw invalidField(
    param,
    `'${param}' is ${quoteShort(name)}, but must not hold control characters.`,
  );
}
