// Decisions about a request before its model is loaded: template, thinking, tools, grammar.
import { ProductError } from "../../base/product-error.ts";
import type { ToolDefinition } from "../../prompt/chat-message.ts";
import { fallbackTurnEnd } from "../../prompt/chat-template.ts";
import { chooseTemplate } from "../../prompt/choose-template.ts";
import { ContinuationTemplate } from "../../prompt/continuation-template.ts";
import { answerGrammar } from "../../prompt/grammar/answer-grammar.ts";
import { checkToolSchemas, type LazyCallsOptions } from "../../prompt/grammar/lazy-calls.ts";
import {
  type DetectedOutputFormat,
  detectOutputFormat,
} from "../../prompt/output/detect-output-format.ts";
import { hasMarkedCalls } from "../../prompt/output/format-table.ts";
import { stripThinking } from "../../prompt/output/thinking-block.ts";
import { withTemplateCallIds } from "../../prompt/output/tool-call-ids.ts";
import type { PromptMessage, PromptTemplate } from "../../prompt/prompt-template.ts";
import { defaultTimeoutMs } from "../../prompt/render-budget.ts";
import { inStableOrder, withDeclaredOrder } from "../../prompt/stable-order.ts";
import type { ResolvedModel } from "../../store/model-catalog.ts";
import { engineErrors } from "../errors.ts";
import type { CanonicalRequest, ChatInput, ThinkLevel } from "../request.ts";

export interface PreparedChat {
  template: PromptTemplate;
  output: DetectedOutputFormat;
  messages: ChatInput["messages"];
  /** Tools that the model is told about. */
  tools: readonly ToolDefinition[];
  /** Undefined when the model does not think. */
  think: ThinkLevel | undefined;
  variables: ChatInput["templateVariables"];
  /** Limit for rendering the conversation, in milliseconds. */
  templateTimeoutMs: number;
  /** @param startsInThinking true when the prompt has opened the thinking block */
  grammar: (startsInThinking: boolean) => string | undefined;
  /** Rules for tool calls in an answer without a grammar; undefined for none. */
  lazyCalls: LazyCallsOptions | undefined;
}

/** Settings of the server; both have defaults. */
export interface PrepareOptions {
  /** Limit for rendering the conversation, in milliseconds. */
  templateTimeoutMs?: number | undefined;
  /** Reads calls that the model writes without the marks of its format. */
  looseCalls?: boolean | undefined;
}

/**
 * @throws ProductError `ENGINE_CAPABILITY_MISSING`, `PROMPT_TEMPLATE_INVALID`,
 *   `PROMPT_SCHEMA_INVALID`
 */
export async function prepareChat(
  request: CanonicalRequest,
  input: ChatInput,
  model: ResolvedModel,
  { templateTimeoutMs = defaultTimeoutMs, looseCalls = true }: PrepareOptions = {},
): Promise<PreparedChat> {
  const chosen = templateFor(model, input.template, input.tools.length > 0);
  const continues = input.continuesText && chosen.origin === "fallback";
  const template = continues ? continuation : chosen;
  const output = outputFormatOf(template);
  refuseMissingCapabilities(request, input, template, output);
  const tools = input.toolChoice === "none" ? [] : inStableOrder(input.tools);
  const think = output.thinking === undefined ? undefined : (request.think ?? true);
  const grammar = (startsInThinking: boolean) =>
    answerGrammar({
      format: request.format,
      tools,
      toolChoice: input.toolChoice,
      parallelToolCalls: input.parallelToolCalls,
      output: output.format,
      thinking: think === false && !startsInThinking ? undefined : output.thinking,
      startsInThinking,
    });
  // Refuses an unsupported schema before minutes are spent on loading.
  const isFree = grammar(false) === undefined && !request.ignoreEndOfText;
  const holdsCalls = isFree && tools.length > 0;
  if (holdsCalls) await checkToolSchemas(tools);
  const lazyCalls = holdsCalls
    ? {
        tools,
        parallelToolCalls: input.parallelToolCalls,
        output: output.format,
        readsLooseCalls: looseCalls && hasMarkedCalls(output.format),
      }
    : undefined;
  const ordered = withDeclaredOrder(conversationOf(model, input), input.tools);
  const conversation = withTemplateCallIds(ordered, template.source);
  const messages =
    output.thinking === undefined ? conversation : stripThinking(conversation, output.thinking);
  return {
    template,
    output,
    messages,
    tools,
    think,
    variables: input.templateVariables,
    templateTimeoutMs,
    grammar,
    lazyCalls,
  };
}

const continuation = new ContinuationTemplate();
const formats = new WeakMap<PromptTemplate, DetectedOutputFormat>();

function outputFormatOf(template: PromptTemplate): DetectedOutputFormat {
  const found = formats.get(template) ?? detect(template);
  formats.set(template, found);
  return found;
}

/** A model that was never taught the fallback's format writes the end of a turn as text. */
function detect(template: PromptTemplate): DetectedOutputFormat {
  const output = detectOutputFormat(template.source, template.kind);
  if (template.origin !== "fallback" || template === continuation) return output;
  return {
    ...output,
    stopTexts: [...output.stopTexts, fallbackTurnEnd],
    visibleControlTexts: [...output.visibleControlTexts, fallbackTurnEnd],
  };
}

function refuseMissingCapabilities(
  { model, think }: CanonicalRequest,
  input: ChatInput,
  template: PromptTemplate,
  output: DetectedOutputFormat,
): void {
  if (think !== undefined && think !== false && output.thinking === undefined) {
    throw missing("think", `"${model}" does not support thinking`);
  }
  if (input.tools.length > 0 && !template.supportsTools) {
    throw missing("tools", `${model} does not support tools`);
  }
  if (input.suffix !== undefined && !template.supportsInsert) {
    throw missing("suffix", `${model} does not support insert`);
  }
}

/** Uses the wording that Ollama's clients look for. */
function missing(param: string, message: string): ProductError {
  return new ProductError(engineErrors.capabilityMissing, {
    message,
    hint: `Leave '${param}' out, or use another model.`,
    param,
  });
}

const maxTemplates = 64;
const templates = new Map<string, PromptTemplate>();

/**
 * Caches parsed templates: parsing takes milliseconds, and every request needs one.
 *
 * @param own template of the request
 * @param hasTools the request has tools, for which a model's file may have another template
 * @throws ProductError `PROMPT_TEMPLATE_INVALID`
 */
function templateFor(
  { template, facts }: Pick<ResolvedModel, "template" | "facts">,
  own?: string,
  hasTools = false,
): PromptTemplate {
  const explicit = own ?? template;
  const { chatTemplate: gguf, toolTemplate: toolUse } = facts;
  const isForTools = hasTools && toolUse !== undefined;
  const jinja = isForTools ? `tools ${toolUse}` : `jinja ${gguf ?? ""}`;
  const key = explicit?.trim() ? `go ${explicit}` : jinja;
  const found = templates.get(key);
  if (found !== undefined) return found;
  const { template: chosen } = chooseTemplate({ modelfile: explicit, gguf, toolUse }, { hasTools });
  if (templates.size >= maxTemplates) templates.clear();
  templates.set(key, chosen);
  return chosen;
}

/** Maps OpenAI's role `developer`, which templates do not know, to `system`. */
function withKnownRole(message: PromptMessage): PromptMessage {
  return message.role === "developer" ? { ...message, role: "system" } : message;
}

/** Adds the model's SYSTEM unless the request begins with one, as Ollama does. */
function conversationOf(model: ResolvedModel, input: ChatInput): PromptMessage[] {
  const { context } = input;
  const messages = input.messages.map(withKnownRole);
  const [first] = messages;
  const speaks = first?.role === "system";
  const own = context === undefined ? model.messages : [];
  if (speaks && first !== undefined) return [first, ...own, ...messages.slice(1)];
  const system: PromptMessage[] =
    model.system === undefined || model.system === ""
      ? []
      : [{ role: "system", content: model.system }];
  return [...system, ...own, ...messages];
}
