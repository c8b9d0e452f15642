// Request shapes of /api/generate and /api/chat.
import { type Static, type TSchema, Type } from "typebox";

/** Inside lists and objects null means "not given", as at the top of a body. */
function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]));
}

/** A JSON object with arbitrary fields. */
const AnyObject = Type.Record(Type.String(), Type.Unknown());
const Images = Type.Array(Type.String());

/** Fields of every request that uses a model. */
export const modelFields = {
  model: Type.Optional(Type.String()),
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(AnyObject),
};

const answerFields = {
  ...modelFields,
  stream: Type.Optional(Type.Boolean()),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer()),
  /** Ours: progress records on loading, queueing and prompt processing. */
  progress: Type.Optional(Type.Boolean()),
  /** See `parseThink`. */
  think: Type.Optional(Type.Unknown()),
  /** See `parseFormat`. */
  format: Type.Optional(Type.Unknown()),
  truncate: Type.Optional(Type.Boolean()),
  shift: Type.Optional(Type.Boolean()),
  /** Shows the prompt without answering it. */
  _debug_render_only: Type.Optional(Type.Boolean()),
};

export const GenerateBody = Type.Object({
  ...answerFields,
  prompt: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  raw: Type.Optional(Type.Boolean()),
  suffix: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  context: Type.Optional(Type.Array(Type.Integer())),
  images: Type.Optional(Images),
});
export type GenerateBody = Static<typeof GenerateBody>;

export const NativeToolCall = Type.Object({
  id: nullable(Type.String()),
  function: Type.Object({
    index: nullable(Type.Integer()),
    name: Type.String(),
    /** An object here; on `/v1` a text. */
    arguments: nullable(AnyObject),
  }),
});
export type NativeToolCall = Static<typeof NativeToolCall>;

export const NativeMessage = Type.Object({
  role: Type.String(),
  content: nullable(Type.String()),
  thinking: nullable(Type.String()),
  images: nullable(Images),
  tool_calls: nullable(Type.Array(NativeToolCall)),
  tool_name: nullable(Type.String()),
  tool_call_id: nullable(Type.String()),
});
export type NativeMessage = Static<typeof NativeMessage>;

export const NativeTool = Type.Object({
  type: nullable(Type.Literal("function")),
  function: Type.Object({
    name: Type.String({ minLength: 1 }),
    description: nullable(Type.String()),
    /** A JSON schema. */
    parameters: nullable(AnyObject),
  }),
});
export type NativeTool = Static<typeof NativeTool>;

export const ChatBody = Type.Object({
  ...answerFields,
  messages: Type.Optional(Type.Array(NativeMessage)),
  tools: Type.Optional(Type.Array(NativeTool)),
});
export type ChatBody = Static<typeof ChatBody>;

/** Settings of the answer. */
export type AnswerBody = Pick<ChatBody, keyof typeof answerFields>;
