// Translates a response request to the canonical request.
import { quoteShort } from "../../../../base/display-text.ts";
import {
  type AnswerFormat,
  type CanonicalRequest,
  plainChat,
  plainRequest,
} from "../../../../engine/request.ts";
import type { ToolDefinition } from "../../../../prompt/chat-message.ts";
import type { ResolvedModel } from "../../../../store/model-catalog.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import type { ReadingRules } from "../../../run-request.ts";
import { withoutChangingText, withoutChangingTexts } from "../../changing-texts.ts";
import { type Fields, readList, readObject, readOptional, readText } from "../../read-fields.ts";
import { checkToolName, chosenTool, type ToolUse, toolMode } from "../../tool-fields.ts";
import { grammarOr, readCommonFields } from "../common-fields.ts";
import { readTemplateVariables, toThink } from "../reasoning.ts";
import { toMessages } from "./input-items.ts";
import type { ResponseBody } from "./schema.ts";

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ResponseBody,
  model: ResolvedModel,
  rules: ReadingRules,
): CanonicalRequest {
  refuseUnsupported(body);
  const { input, instructions } = rules.stablePrompts ? withoutChanging(body) : body;
  const common = readCommonFields(commonFieldsOf(body), rules);
  const toolUse = toToolUse(body);
  const format = toFormat(body.text?.format);
  return plainRequest({
    ...common,
    input: plainChat(toMessages(input, instructions), {
      ...toolUse,
      templateVariables: readTemplateVariables(body.chat_template_kwargs),
    }),
    topLogprobs: toTopLogprobs(body),
    format: grammarOr(format, common.format, toolUse.toolChoice, "text.format"),
    think: toThink(body, model),
    truncate: body.truncation === "auto",
  });
}

function withoutChanging({ input, instructions }: ResponseBody) {
  return {
    input: Array.isArray(input) ? withoutChangingTexts(input) : input,
    instructions: instructions === undefined ? undefined : withoutChangingText(instructions),
  };
}

function commonFieldsOf(body: ResponseBody): Parameters<typeof readCommonFields>[0] {
  const { model, max_output_tokens, temperature, top_p, options, keep_alive, grammar } = body;
  return {
    model,
    ...(max_output_tokens !== undefined && { max_tokens: max_output_tokens }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(options !== undefined && { options }),
    ...(keep_alive !== undefined && { keep_alive }),
    ...(grammar !== undefined && { grammar }),
  };
}

function refuseUnsupported(body: ResponseBody): void {
  const stateless = "responses are not stored; send the whole conversation as 'input'";
  if (body.previous_response_id !== undefined) {
    throw unsupportedField("previous_response_id", stateless);
  }
  if (body.conversation !== undefined) throw unsupportedField("conversation", stateless);
  if (body.prompt !== undefined) throw unsupportedField("prompt", "prompts are not stored");
  if (body.background === true) {
    throw unsupportedField("background", "a response is sent only as the reply to its request");
  }
  if (body.context_management !== undefined) {
    throw unsupportedField("context_management", "conversations are not compacted");
  }
  if (body.moderation !== undefined) {
    throw unsupportedField("moderation", "answers are not moderated");
  }
  // OpenAI's word for unlimited.
  if ((body.text?.verbosity ?? "medium") !== "medium") {
    throw unsupportedField("text.verbosity", "the length of an answer is the model's choice");
  }
}

const logprobsWanted = "message.output_text.logprobs";

/**
 * Values of `include`; all but one are always included, or belong to tools that do not exist here.
 */
const includable: readonly string[] = [
  logprobsWanted,
  "reasoning.encrypted_content",
  "message.input_image.image_url",
  "code_interpreter_call.outputs",
  "computer_call_output.output.image_url",
  "file_search_call.results",
  "web_search_call.action.sources",
  "web_search_call.results",
];

/** Undefined when log-probabilities are off. */
function toTopLogprobs({ include = [], top_logprobs = 0 }: ResponseBody): number | undefined {
  for (const [index, name] of include.entries()) {
    if (includable.includes(name)) continue;
    throw invalidField(
      `include.${index}`,
      `'include.${index}' is ${quoteShort(name)}, but must be one of ${includable.join(", ")}.`,
    );
  }
  return include.includes(logprobsWanted) || top_logprobs > 0 ? top_logprobs : undefined;
}

/** Enforces a schema regardless of `strict`. */
function toFormat(value: unknown): AnswerFormat | undefined {
  if (value === undefined || value === null) return undefined;
  const format = readObject(value, "text.format");
  const type = readText(format.type, "text.format.type");
  switch (type) {
    case "text":
      return undefined;
    case "json_object":
      return { kind: "json" };
    case "json_schema":
      return { kind: "schema", schema: readObject(format.schema, "text.format.schema") };
    default:
      throw unsupportedField(
        "text.format.type",
        `${quoteShort(type)} is none of text, json_object, json_schema`,
      );
  }
}

function toToolUse(body: ResponseBody): ToolUse {
  const all = (body.tools ?? []).map((tool, index) => toDefinition(tool, `tools.${index}`));
  const choice = body.tool_choice ?? "auto";
  const { tools, toolChoice } =
    typeof choice === "string"
      ? { tools: all, toolChoice: toolMode(choice, all, "tool_choice") }
      : choose(readObject(choice, "tool_choice"), all);
  return { tools, toolChoice, parallelToolCalls: body.parallel_tool_calls !== false };
}

function toDefinition(value: unknown, where: string): ToolDefinition {
  const tool = readObject(value, where);
  const type = readText(tool.type, `${where}.type`);
  if (type !== "function") {
    throw unsupportedField(
      `${where}.type`,
      `${quoteShort(type)} is not a supported type; use function`,
    );
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
    return { tools: allowed, toolChoice: toolMode(mode, allowed, "tool_choice.mode") };
  }
  throw unsupportedField(
    "tool_choice.type",
    `${quoteShort(type)} is neither function nor allowed_tools`,
  );
}
