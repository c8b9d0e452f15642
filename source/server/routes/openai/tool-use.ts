// `tools`, `tool_choice` and `parallel_tool_calls`: what the model may call, and whether it must.
import { quoteShort } from "../../../base/display-text.ts";
import type { ChatInput, ToolChoice } from "../../../engine/request.ts";
import type { ToolDefinition } from "../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { checkToolName } from "../tool-name.ts";
import type { ChatCompletionBody, ToolBody, ToolChoiceBody } from "./schema.ts";

type ToolUse = Pick<ChatInput, "tools" | "toolChoice" | "parallelToolCalls">;

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` */
export function toToolUse(body: ChatCompletionBody): ToolUse {
  const tools = (body.tools ?? []).map(toDefinition);
  const parallelToolCalls = body.parallel_tool_calls !== false;
  return { ...choose(tools, body.tool_choice ?? "auto"), parallelToolCalls };
}

function toDefinition(tool: ToolBody, index: number): ToolDefinition {
  const where = `tools.${index}`;
  if (tool.type !== "function") {
    throw unsupportedField(`${where}.type`, `${quoteShort(tool.type)} is not function`);
  }
  if (tool.function === undefined) {
    throw invalidField(`${where}.function`, `${where}.function is required`);
  }
  const { name, description, parameters } = tool.function;
  return {
    name: checkToolName(name, `${where}.function.name`),
    description: description ?? undefined,
    parameters: parameters ?? undefined,
  };
}

function choose(
  tools: ToolDefinition[],
  choice: ToolChoiceBody,
): Pick<ToolUse, "tools" | "toolChoice"> {
  if (typeof choice === "string") return { tools, toolChoice: mode(choice, "tool_choice", tools) };
  if (choice.type === "function") {
    const name = choice.function?.name;
    return { tools, toolChoice: { name: known(name, "tool_choice.function.name", tools) } };
  }
  if (choice.type === "allowed_tools") {
    const where = "tool_choice.allowed_tools";
    const { allowed_tools } = choice;
    if (allowed_tools === undefined) throw invalidField(where, `${where} is required`);
    const names = allowed_tools.tools.map((tool, index) =>
      known(tool.function?.name, `${where}.tools.${index}.function.name`, tools),
    );
    const allowed = tools.filter(({ name }) => names.includes(name));
    return { tools: allowed, toolChoice: mode(allowed_tools.mode, `${where}.mode`, allowed) };
  }
  throw unsupportedField(
    "tool_choice.type",
    `${quoteShort(choice.type)} is neither function nor allowed_tools`,
  );
}

function mode(word: string, param: string, tools: readonly ToolDefinition[]): ToolChoice {
  if (word === "none" || word === "auto") return word;
  if (word !== "required") {
    throw invalidField(
      param,
      `'${param}' is ${quoteShort(word)}, but must be one of none, auto, required.`,
    );
  }
  if (tools.length === 0) {
    throw invalidField(param, `'${param}' is "required", but there are no tools to call.`);
  }
  return word;
}

function known(name: string | undefined, param: string, tools: readonly ToolDefinition[]): string {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool !== undefined) return tool.name;
  throw invalidField(
    param,
    name === undefined
      ? `${param} is required`
      : `'${param}' is ${quoteShort(name)}, which is none of the tools.`,
  );
}
