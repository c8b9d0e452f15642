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
import { chosenTool, reportLeftOut, type ToolUse, toolMode } from "../../tool-fields.ts";
import { grammarOr, readCommonFields } from "../common-fields.ts";
import { readTemplateVariables, toThink } from "../reasoning.ts";
import { toMessages } from "./input-items.ts";
import { isHosted, type OfferedTools, offeredName } from "./offered-tools.ts";
import { isPlayed } from "./played-tools.ts";
import type { ResponseBody } from "./schema.ts";

/**
 * @param model the one that the request names
 * @param tools gets those of the request; they tell how calls come back to the client
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ResponseBody,
  model: ResolvedModel,
  rules: ReadingRules,
  tools: OfferedTools,
): CanonicalRequest {
  refuseUnsupported(body);
  tools.addAll(body.tools ?? [], "tools");
  const { input, instructions } = rules.stablePrompts ? withoutChanging(body) : body;
  const common = readCommonFields(commonFieldsOf(body), rules);
  // Items may bring tools along.
  const messages = toMessages(input, instructions, tools);
  const toolUse = toToolUse(body, tools);
  reportLeftOut([...tools.leftOut, ...(body.moderation ? ["moderation"] : [])], rules.warn);
  const format = toFormat(body.text?.format);
  return plainRequest({
    ...common,
    input: plainChat(messages, {
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

function toToolUse(body: ResponseBody, offered: OfferedTools): ToolUse {
  const all = offered.definitions;
  const choice = body.tool_choice ?? "auto";
  const { tools, toolChoice } =
    typeof choice === "string"
      ? { tools: all, toolChoice: toolMode(choice, all, "tool_choice") }
      : choose(readObject(choice, "tool_choice"), all);
  return { tools, toolChoice, parallelToolCalls: body.parallel_tool_calls !== false };
}

function choose(choice: Fields, tools: ToolDefinition[]): Pick<ToolUse, "tools" | "toolChoice"> {
  const type = readText(choice.type, "tool_choice.type");
  if (type !== "allowed_tools") {
    return { tools, toolChoice: chosenBy(choice, tools, "tool_choice") };
  }
  const names = readList(choice.tools, "tool_choice.tools").flatMap((value, index) => {
    const where = `tool_choice.tools.${index}`;
    const allowed = readObject(value, where);
    const isLeftOut = isHosted(readText(allowed.type, `${where}.type`));
    return isLeftOut ? [] : [chosenBy(allowed, tools, where).name];
  });
  const allowed = tools.filter(({ name }) => names.includes(name));
  const mode = readText(choice.mode, "tool_choice.mode");
  return { tools: allowed, toolChoice: toolMode(mode, allowed, "tool_choice.mode") };
}

/** Finds the tool that a choice names by its name, or by its kind alone. */
function chosenBy(choice: Fields, tools: ToolDefinition[], where: string): { name: string } {
  const type = readText(choice.type, `${where}.type`);
  if (type === "function" || type === "custom") {
    const name = readText(choice.name, `${where}.name`);
    const namespace = readOptional(choice.namespace, `${where}.namespace`, readText);
    return chosenTool(offeredName({ kind: type, name, namespace }), tools, `${where}.name`);
  }
  if (isPlayed(type)) return chosenTool(type, tools, `${where}.type`);
  throw unsupportedField(
    `${where}.type`,
    isHosted(type)
      ? `only OpenAI can run ${quoteShort(type)}`
      : `${quoteShort(type)} is not a tool that can be chosen`,
  );
}
