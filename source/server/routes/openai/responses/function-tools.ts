// `tools` and `tool_choice` of a response: which functions the model may call, and whether it must.
import { quoteShort } from "../../../../base/display-text.ts";
import type { ChatInput, ToolChoice } from "../../../../engine/request.ts";
import type { ToolDefinition } from "../../../../prompt/chat-message.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { chosenTool, demandTools } from "../../chosen-tool.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";
import { checkToolName } from "../../tool-name.ts";
import type { ResponseBody } from "./schema.ts";

type ToolUse = Pick<ChatInput, "tools" | "toolChoice" | "parallelToolCalls">;

/** @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED` */
export function toToolUse(body: ResponseBody): ToolUse {
  const all = (body.tools ?? []).map((tool, index) => toDefinition(tool, `tools.${index}`));
  const choice = body.tool_choice ?? "auto";
  const { tools, toolChoice } =
    typeof choice === "string"
      ? { tools: all, toolChoice: toMode(choice, "tool_choice", all) }
      : choose(readObject(choice, "tool_choice"), all);
  return { tools, toolChoice, parallelToolCalls: body.parallel_tool_calls !== false };
}

function toDefinition(value: unknown, where: string): ToolDefinition {
  const tool = readObject(value, where);
  const type = readText(tool.type, `${where}.type`);
  if (type !== "function") {
    throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not function`);
  }
  const name = readText(tool.name, `${where}.name`);
  if (name === "") throw invalidField(`${where}.name`, `'${where}.name' must not be empty.`);
  return {
    name: checkToolName(name, `${where}.name`),
    description: readOptional(tool.description, `${where}.description`, readText),
    parameters: readOptional(tool.parameters, `${where}.parameters`, readObject),
  };
}

function choose(choice: Fields, tools: ToolDefinition[]): Pick<ToolUse, "tools" | "toolChoice"> {
  const type = readText(choice.type, "tool_choice.type");
  if (type === "function") {
    const param = "tool_choice.name";
    return { tools, toolChoice: chosenTool(readText(choice.name, param), tools, param) };
  }
  if (type === "allowed_tools") {
    const names = readList(choice.tools, "tool_choice.tools").map((value, index) => {
      const where = `tool_choice.tools.${index}`;
      const param = `${where}.name`;
      return chosenTool(readText(readObject(value, where).name, param), tools, param).name;
    });
    const allowed = tools.filter(({ name }) => names.includes(name));
    const mode = readText(choice.mode, "tool_choice.mode");
    return { tools: allowed, toolChoice: toMode(mode, "tool_choice.mode", allowed) };
  }
  throw unsupportedField(
    "tool_choice.type",
    `${quoteShort(type)} is neither function nor allowed_tools`,
  );
}

function toMode(word: string, param: string, tools: readonly ToolDefinition[]): ToolChoice {
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
