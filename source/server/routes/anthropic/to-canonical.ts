// Translates requests of Anthropic's Messages API to the canonical request.
import { quoteShort } from "../../../base/display-text.ts";
import {
  type AnswerFormat,
  type CanonicalRequest,
  type ChatInput,
  plainChat,
  plainRequest,
  type ThinkLevel,
  type ToolChoice,
} from "../../../engine/request.ts";
import type { ToolDefinition } from "../../../prompt/chat-message.ts";
import type { ResolvedModel } from "../../../store/model-catalog.ts";
import type { ModelParameters } from "../../../store/model-parameters.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import type { ReadingRules } from "../../run-request.ts";
import type { Warn } from "../../warnings.ts";
import { withoutChangingText, withoutChangingTexts } from "../changing-texts.ts";
import { toThink } from "../openai/reasoning.ts";
import { type Fields, readBoolean, readObject, readOptional, readText } from "../read-fields.ts";
import {
  checkToolName,
  chosenTool,
  demandTools,
  reportLeftOut,
  type ToolUse,
} from "../tool-fields.ts";
import { isHostedTool, playedTool } from "./client-tools.ts";
import { toConversation } from "./conversation.ts";
import type { CountTokensBody, MessageBody } from "./schema.ts";

/** The conversation, without settings of its answer. */
export type PromptRequest = CanonicalRequest & { input: ChatInput };

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toPromptRequest(
  body: CountTokensBody,
  model: ResolvedModel,
  { isFileAllowed, warn, stablePrompts }: ReadingRules,
): PromptRequest {
  refuseUnsupported(body);
  const system = stablePrompts ? withoutChangingText(body.system) : body.system;
  const messages = stablePrompts ? withoutChangingTexts(body.messages) : body.messages;
  const input = plainChat(toConversation(system, messages, warn), toToolUse(body, warn));
  return {
    ...plainRequest({
      model: body.model,
      isFileAllowed,
      input,
      parameters: parseOptions(body.options, warn),
      keepAliveMs: parseKeepAlive(body.keep_alive),
      format:
        toFormat(body.output_config?.format, "output_config.format") ??
        toFormat(body.output_format, "output_format"),
      think: toThinkLevel(body, model),
    }),
    input,
  };
}

/** Absent fields stay absent, so that the model's own parameters apply. */
export function toCanonical(
  body: MessageBody,
  model: ResolvedModel,
  rules: ReadingRules,
): CanonicalRequest {
  const prompt = toPromptRequest(body, model, rules);
  return {
    ...prompt,
    parameters: { ...prompt.parameters, ...toParameters(body), ...toThinkingBudget(body) },
    // Pings keep the connection alive while a long prompt is read.
    reportProgress: body.stream === true,
  };
}

function toParameters(body: MessageBody): ModelParameters {
  const { max_tokens, temperature, top_p, top_k, stop_sequences: stop = [] } = body;
  return {
    num_predict: max_tokens,
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(top_k !== undefined && { top_k }),
    ...(stop.length > 0 && { stop }),
  };
}

function refuseUnsupported(body: CountTokensBody): void {
  if (isGiven(body.compaction)) {
    throw unsupportedField("compaction", "conversations are not compacted; ask for a summary");
  }
  if (isGiven(body.thread)) {
    throw unsupportedField("thread", "conversations are not stored; send all messages");
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Fields about what only Anthropic's servers can run. */
function hostedFields({ container, mcp_servers: servers = [] }: CountTokensBody): string[] {
  return [
    ...(isGiven(container) ? ["container"] : []),
    ...(servers !== null && servers.length > 0 ? ["mcp_servers"] : []),
  ];
}

/** A model that cannot think ignores the request to: clients send it to every model. */
function toThinkLevel(
  { thinking, output_config }: CountTokensBody,
  model: ResolvedModel,
): ThinkLevel | undefined {
  const effort = output_config?.effort ?? undefined;
  const type = thinking?.type;
  if (type === "disabled") return false;
  if (type !== undefined && type !== "enabled" && type !== "adaptive") {
    throw unsupportedField(
      "thinking.type",
      `${quoteShort(type)} is none of enabled, disabled, adaptive`,
    );
  }
  if (effort !== undefined) return toThink({ reasoning_effort: effort }, model);
  if (type === undefined) return undefined;
  return toThink({ reasoning_effort: "medium" }, model) !== false;
}

function toThinkingBudget({ thinking }: CountTokensBody): ModelParameters {
  const { type, budget_tokens: budget } = thinking ?? {};
  return type === "enabled" && budget !== undefined ? { reasoning_budget: budget } : {};
}

function toFormat(value: unknown, where: string): AnswerFormat | undefined {
  if (!isGiven(value)) return undefined;
  const format = readObject(value, where);
  const type = readText(format.type, `${where}.type`);
  if (type === "json_schema") {
    return { kind: "schema", schema: readObject(format.schema, `${where}.schema`) };
  }
  throw unsupportedField(`${where}.type`, `${quoteShort(type)} is not json_schema`);
}

function toToolUse(body: CountTokensBody, warn: Warn): ToolUse {
  const { tools, leftOut } = readTools(body.tools ?? []);
  reportLeftOut([...hostedFields(body), ...leftOut.map(({ type }) => type)], warn);
  if (body.tool_choice === undefined) {
    return { tools, toolChoice: "auto", parallelToolCalls: true };
  }
  const choice = readObject(body.tool_choice, "tool_choice");
  const single = "tool_choice.disable_parallel_tool_use";
  const isSingle = readOptional(choice.disable_parallel_tool_use, single, readBoolean) ?? false;
  return { tools, toolChoice: toToolChoice(choice, tools, leftOut), parallelToolCalls: !isSingle };
}

interface HostedTool {
  type: string;
  name: string | undefined;
}

/** Separates the tools that the client plays from those that only Anthropic can run. */
function readTools(values: readonly unknown[]): { tools: ToolDefinition[]; leftOut: HostedTool[] } {
  const tools: ToolDefinition[] = [];
  const leftOut: HostedTool[] = [];
  for (const [index, value] of values.entries()) {
    const where = `tools.${index}`;
    const tool = readObject(value, where);
    const type = readOptional(tool.type, `${where}.type`, readText) ?? "custom";
    if (isHostedTool(type)) {
      leftOut.push({ type, name: typeof tool.name === "string" ? tool.name : undefined });
    } else {
      tools.push(toDefinition(tool, type, where));
    }
  }
  return { tools, leftOut };
}

function toDefinition(tool: Fields, type: string, where: string): ToolDefinition {
  const name = readText(tool.name, `${where}.name`);
  if (name === "") throw invalidField(`${where}.name`, `'${where}.name' must not be empty.`);
  checkToolName(name, `${where}.name`);
  if (type === "custom") {
    return {
      name,
      description: readOptional(tool.description, `${where}.description`, readText),
      parameters: { ...readObject(tool.input_schema, `${where}.input_schema`) },
    };
  }
  const played = playedTool(type);
  if (played !== undefined) return { name, ...played };
  throw unsupportedField(
    `${where}.type`,
    `${quoteShort(type)} is not a supported type; use custom`,
  );
}

function toToolChoice(
  choice: Fields,
  tools: readonly ToolDefinition[],
  leftOut: readonly HostedTool[],
): ToolChoice {
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
      const name = readText(choice.name, param);
      const hosted = leftOut.find((tool) => tool.name === name);
      if (hosted !== undefined) {
        throw unsupportedField(param, `only Anthropic can run ${quoteShort(hosted.type)}`);
      }
      return chosenTool(name, tools, param);
    }
    default:
      throw invalidField(
        "tool_choice.type",
        `'tool_choice.type' is ${quoteShort(type)}, but must be one of auto, any, tool, none.`,
      );
  }
}
