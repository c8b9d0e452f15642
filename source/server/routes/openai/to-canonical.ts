// Translates a chat completion request to the canonical request.
import { quoteShort } from "../../../base/display-text.ts";
import { isRecord } from "../../../base/json.ts";
import {
  type AnswerFormat,
  type CanonicalRequest,
  plainChat,
  plainRequest,
} from "../../../engine/request.ts";
import type { ToolDefinition } from "../../../prompt/chat-message.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import type { ReadingRules } from "../../run-request.ts";
import { withoutChangingTexts } from "../changing-texts.ts";
import {
  checkToolName,
  chosenTool,
  reportLeftOut,
  type ToolUse,
  toolMode,
} from "../tool-fields.ts";
import { toMessages } from "./chat-messages.ts";
import { grammarOr, readCommonFields } from "./common-fields.ts";
import { readTemplateVariables, toThink } from "./reasoning.ts";
import type { ChatCompletionBody, ResponseFormatBody, ToolBody, ToolChoiceBody } from "./schema.ts";

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ChatCompletionBody,
  model: ResolvedModel,
  rules: ReadingRules,
): CanonicalRequest {
  refuseUnsupported(body);
  const { max_completion_tokens, reasoning_budget } = body;
  const sent = body.messages ?? [];
  const messages = rules.stablePrompts ? withoutChangingTexts(sent) : sent;
  if (messages.length === 0) {
    throw invalidField("messages", "[] is too short - 'messages': at least one is needed.");
  }
  const common = readCommonFields(body, rules);
  const parameters = {
    ...common.parameters,
    // The newer name of `max_tokens` wins.
    ...(max_completion_tokens !== undefined && { num_predict: max_completion_tokens }),
    ...(reasoning_budget !== undefined && { reasoning_budget }),
  };
  const toolUse = toToolUse(body);
  reportLeftOut(hostedFields(body), rules.warn);
  const format = toAnswerFormat(body.response_format);
  return plainRequest({
    ...common,
    parameters,
    input: plainChat(toMessages(messages), {
      ...toolUse,
      templateVariables: readTemplateVariables(body.chat_template_kwargs),
    }),
    topLogprobs: toTopLogprobs(body),
    format: grammarOr(format, common.format, toolUse.toolChoice, "response_format"),
    think: toThink(body, model),
    truncate: body.truncate === true,
    shift: body.shift === true,
  });
}

/** Refuses fields that would change the answer and that this server cannot honour. */
function refuseUnsupported(body: ChatCompletionBody): void {
  if ((body.functions?.length ?? 0) > 0) {
    throw unsupportedField("functions", "use 'tools' instead");
  }
  if (typeof body.function_call === "object") {
    throw unsupportedField("function_call", "use 'tool_choice' instead");
  }
  if (body.modalities?.some((modality) => modality !== "text")) {
    throw unsupportedField("modalities", "answers are text");
  }
  if (body.audio !== undefined) throw unsupportedField("audio", "answers are text");
  if (body._debug_render_only === true) {
    throw unsupportedField("_debug_render_only", "/api/chat shows prompts");
  }
}

/** Fields about what only OpenAI's servers can run. */
function hostedFields({ moderation, web_search_options: search }: ChatCompletionBody): string[] {
  return [...(moderation ? ["moderation"] : []), ...(search ? ["web_search_options"] : [])];
}

/** Undefined when log-probabilities are off. */
function toTopLogprobs({ logprobs, top_logprobs = 0 }: ChatCompletionBody): number | undefined {
  if (logprobs === true) return top_logprobs;
  if (top_logprobs > 0) {
    throw invalidField("top_logprobs", "'top_logprobs' needs 'logprobs' to be true.");
  }
  return undefined;
}

/** Enforces a schema regardless of `strict`. Errors in it show up when its grammar is made. */
function toAnswerFormat(format: ResponseFormatBody | undefined): AnswerFormat | undefined {
  if (format === undefined) return undefined;
  switch (format.type) {
    case "text":
      return undefined;
    case "json_object":
      return format.schema === undefined || format.schema === null
        ? { kind: "json" }
        : schemaFormat(format.schema, "response_format.schema");
    case "json_schema":
      return schemaFormat(format.json_schema?.schema, "response_format.json_schema.schema");
    default:
      throw unsupportedField(
        "response_format.type",
        `${quoteShort(format.type)} is none of text, json_object, json_schema`,
      );
  }
}

function schemaFormat(schema: unknown, param: string): AnswerFormat {
  if (isRecord(schema)) return { kind: "schema", schema };
  throw invalidField(param, `'${param}' must be a JSON schema, which is an object.`);
}

function toToolUse(body: ChatCompletionBody): ToolUse {
  const tools = (body.tools ?? []).map(toDefinition);
  const parallelToolCalls = body.parallel_tool_calls !== false;
  return { ...choose(tools, body.tool_choice ?? "auto"), parallelToolCalls };
}

function toDefinition(tool: ToolBody, index: number): ToolDefinition {
  const where = `tools.${index}`;
  if (tool.type !== "function") {
    throw unsupportedField(
      `${where}.type`,
      `${quoteShort(tool.type)} is not a supported type; use function`,
    );
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
  if (typeof choice === "string")
    return { tools, toolChoice: toolMode(choice, tools, "tool_choice") };
  if (choice.type === "function") {
    const name = choice.function?.name;
    return { tools, toolChoice: chosenTool(name, tools, "tool_choice.function.name") };
  }
  if (choice.type === "allowed_tools") {
    const where = "tool_choice.allowed_tools";
    const { allowed_tools } = choice;
    if (allowed_tools === undefined) throw invalidField(where, `${where} is required`);
    const names = allowed_tools.tools.map((tool, index) => {
      const param = `${where}.tools.${index}.function.name`;
      return chosenTool(tool.function?.name, tools, param).name;
    });
    const allowed = tools.filter(({ name }) => names.includes(name));
    return { tools: allowed, toolChoice: toolMode(allowed_tools.mode, allowed, `${where}.mode`) };
  }
  throw unsupportedField(
    "tool_choice.type",
    `${quoteShort(choice.type)} is neither function nor allowed_tools`,
  );
}
