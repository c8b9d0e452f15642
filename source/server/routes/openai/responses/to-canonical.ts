// Translates a request for a response to the canonical request.
import { quoteShort } from "../../../../base/display-text.ts";
import {
  type AnswerFormat,
  type CanonicalRequest,
  plainChat,
  plainRequest,
} from "../../../../engine/request.ts";
import type { ResolvedModel } from "../../../../store/model-catalog.ts";
import { invalidField, unsupportedField } from "../../../errors.ts";
import { withoutChangingText, withoutChangingTexts } from "../../changing-texts.ts";
import { readObject, readText } from "../../read-fields.ts";
import { readTemplateVariables } from "../../template-variables.ts";
import { type ChatCaller, readCommonFields } from "../common-fields.ts";
import { toThink } from "../reasoning.ts";
import { grammarOr } from "../response-format.ts";
import { toToolUse } from "./function-tools.ts";
import { toMessages } from "./input-items.ts";
import type { ResponseBody } from "./schema.ts";

/**
 * @param model the one that the request names
 * @throws ProductError `SERVER_FIELD_INVALID`, `SERVER_FIELD_UNSUPPORTED`
 */
export function toCanonical(
  body: ResponseBody,
  model: ResolvedModel,
  caller: ChatCaller,
): CanonicalRequest {
  refuseUnsupported(body);
  const { input, instructions } = caller.stablePrompts ? withoutChanging(body) : body;
  const common = readCommonFields(commonFieldsOf(body), caller);
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
  if (body.prompt !== undefined) throw unsupportedField("prompt", "no prompts are stored here");
  if (body.background === true) {
    throw unsupportedField("background", "a response is given to the request that asks for it");
  }
  if (body.context_management !== undefined) {
    throw unsupportedField("context_management", "conversations are not compacted");
  }
  if (body.moderation !== undefined) {
    throw unsupportedField("moderation", "answers are not moderated");
  }
  // The word for as long as the model likes.
  if ((body.text?.verbosity ?? "medium") !== "medium") {
    throw unsupportedField("text.verbosity", "the length of an answer is the model's choice");
  }
}

const logprobsWanted = "message.output_text.logprobs";

/** What may be included; all but one is there already, or belongs to tools that are not here. */
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

/** Undefined when no log-probabilities are wanted. */
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

/** A schema is enforced whatever `strict` says. */
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
