// Fields shared by the routes of OpenAI's API, and their engine settings.
import { type Static, Type } from "typebox";
import { quoteShort } from "../../../base/display-text.ts";
import type { AnswerFormat, CanonicalRequest, ToolChoice } from "../../../engine/request.ts";
import type { ModelParameters } from "../../../store/model-parameters.ts";
import { invalidField, unsupportedField } from "../../errors.ts";
import { parseKeepAlive, parseOptions } from "../../options.ts";
import type { ReadingRules } from "../../run-request.ts";

export const commonFields = {
  model: Type.String(),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(
    Type.Object({ include_usage: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])) }),
  ),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 8 })),
  // Extensions: as on the native API, and llama-server's name for the last one.
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  ignore_eos: Type.Optional(Type.Boolean()),
  // llama-server's, in GBNF.
  grammar: Type.Optional(Type.String()),
};

export const samplingFields = {
  max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  seed: Type.Optional(Type.Integer()),
  presence_penalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  logit_bias: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 })),
  ),
  // As in llama-server and vLLM, which have a name each for the same penalty; -1 is 0, no limit.
  top_k: Type.Optional(Type.Integer({ minimum: -1 })),
  min_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  repeat_penalty: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  repetition_penalty: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
};

const CommonBody = Type.Object({ ...commonFields, ...samplingFields });
type CommonBody = Static<typeof CommonBody>;

/**
 * Absent fields stay absent, so that the model's own parameters apply.
 *
 * @throws ProductError `SERVER_FIELD_INVALID`
 */
export function readCommonFields(
  body: CommonBody,
  { isFileAllowed, warn }: Pick<ReadingRules, "isFileAllowed" | "warn">,
): Pick<
  CanonicalRequest,
  | "model"
  | "isFileAllowed"
  | "parameters"
  | "logitBias"
  | "ignoreEndOfText"
  | "keepAliveMs"
  | "format"
> {
  return {
    model: body.model,
    isFileAllowed,
    parameters: { ...parseOptions(body.options, warn), ...toParameters(body) },
    logitBias: toLogitBias(body.logit_bias),
    ignoreEndOfText: body.ignore_eos === true,
    keepAliveMs: parseKeepAlive(body.keep_alive),
    // An empty one means none, as in llama-server.
    format: body.grammar ? { kind: "grammar", gbnf: body.grammar } : undefined,
  };
}

function toParameters(body: CommonBody): ModelParameters {
  const { max_tokens, temperature, top_p, seed, presence_penalty, frequency_penalty } = body;
  const { top_k, min_p, repeat_penalty = body.repetition_penalty } = body;
  const stop = typeof body.stop === "string" ? [body.stop] : (body.stop ?? []);
  return {
    ...(max_tokens !== undefined && { num_predict: max_tokens }),
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(seed !== undefined && { seed }),
    ...(presence_penalty !== undefined && { presence_penalty }),
    ...(frequency_penalty !== undefined && { frequency_penalty }),
    ...(top_k !== undefined && { top_k: Math.max(0, top_k) }),
    ...(min_p !== undefined && { min_p }),
    ...(repeat_penalty !== undefined && { repeat_penalty }),
    // An empty list means none; it must not remove the model's own stop texts.
    ...(stop.length > 0 && { stop }),
  };
}

function toLogitBias(bias: CommonBody["logit_bias"]): Array<[number, number]> {
  return Object.entries(bias ?? {}).map(([key, value]) => {
    const token = Number(key);
    if (!/^\d+$/.test(key) || !Number.isSafeInteger(token)) {
      throw invalidField(
        "logit_bias",
        `'logit_bias' has the key ${quoteShort(key)}, but keys are token ids.`,
      );
    }
    return [token, value];
  });
}

/**
 * Returns the client's grammar, or else the format that it requests.
 *
 * @param formatField name of the other format's field
 * @throws ProductError `SERVER_FIELD_UNSUPPORTED` for a grammar together with another format
 */
export function grammarOr(
  format: AnswerFormat | undefined,
  grammar: AnswerFormat | undefined,
  toolChoice: ToolChoice,
  formatField: string,
): AnswerFormat | undefined {
  if (grammar === undefined) return format;
  const mustCall = toolChoice === "required" || typeof toolChoice === "object";
  if (!mustCall && format === undefined) return grammar;
  const other = mustCall ? "tool_choice" : formatField;
  throw unsupportedField("grammar", `${other} already sets the format of the answer`);
}

/** Tells if a list holds token ids, not texts or lists. */
export function isTokenList(value: unknown): value is [number, ...unknown[]] {
  return Array.isArray(value) && typeof value[0] === "number";
}

/**
 * Reads token ids of the model in place of a text.
 *
 * @param param names the list in an error
 * @throws ProductError `SERVER_FIELD_INVALID` for an unknown token
 */
export function readTokens(
  values: readonly unknown[],
  param: string,
  vocabularySize: number,
): number[] {
  return values.map((value, index) => {
    const isToken = typeof value === "number" && Number.isInteger(value);
    if (isToken && value >= 0 && value < vocabularySize) return value;
    throw invalidField(
      `${param}.${index}`,
      `'${param}.${index}' is ${JSON.stringify(value)}, but must be a token of the model, from 0 to ${vocabularySize - 1}.`,
    );
  });
}
