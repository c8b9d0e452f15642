// `tools` and `tool_choice` of a message: what the model may call, and whether it must.
import { quoteShort } from "../../../base/display-text.ts";
import type { ChatInput } from "../../../engine/request.ts";
import type { ToolDefinition } from "../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { chosenTool, demandTools } from "../chosen-tool.ts";
import { readBoolean, readObject, readOptional, readText } from "../read-fields.ts";
import { checkToolName } from "../tool-name.ts";
import type { CountTokensBody } from "./schema.ts";

type ToolUse = Pick<ChatInput, "tools" | "toolChoice" | "parallelToolCalls">;

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` */
export function toToolUse(body: CountTokensBody): ToolUse {
  const tools = (body.tools ?? []).map((tool, index) => toDefinition(tool, `tools.${index}`));
  if (body.tool_choice === undefined) {
    return { tools, toolChoice: "auto", parallelToolCalls: true };
  }
  const choice = readObject(body.tool_choice, "tool_choice");
  const single = "tool_choice.disable_parallel_tool_use";
  const isSingle = readOptional(choice.disable_parallel_tool_use, single, readBoolean) ?? false;
  return { tools, toolChoice: toToolChoice(choice, tools), parallelToolCalls: !isSingle };
}

function toDefinition(value: unknown, where: string): ToolDefinition {
  const tool = readObject(value, where);
  const type = readOptional(tool.type, `${where}.type`, readText) ?? "custom";
  if (type !== "custom") {
    throw unsupportedField(`${where}.type`, `${quoteShort(type)} is no tool of the client's own`);
  }
  const name = readText(tool.name, `${where}.name`);
  if (name === "") throw invalidField(`${where}.name`, `'${where}.name' must not be empty.`);
  return {
    name: checkToolName(name, `${where}.name`),
    description: readOptional(tool.description, `${where}.description`, readText),
    parameters: { ...readObject(tool.input_schema, `${where}.input_schema`) },
  };
}

function toToolChoice(
  choice: Readonly<Record<string, unknown>>,
  tools: readonly ToolDefinition[],
): ChatInput["toolChoice"] {
  const type = readText(choice.type, "tool_choice.type");
  switch (type) {
    case "auto":
    case "none":
      return type;
    case "any":
      demandTools(tools, "tool_choice.type");
      return "required";
    case "tool": {
      const param = "tool_choice.name";
      return chosenTool(readText(choice.name, param), tools, param);
    }
    default:
      throw invalidField(
        "tool_choice.type",
        `'tool_choice.type' is ${quoteShort(type)}, but must be one of auto, any, tool, none.`,
      );
  }
}
