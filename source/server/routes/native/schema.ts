// Shapes of the native API's requests.
import { type Static, Type } from "typebox";

const KeepAlive = Type.Union([Type.String(), Type.Number()]);
const Options = Type.Record(Type.String(), Type.Unknown());

const common = {
  stream: Type.Optional(Type.Boolean()),
  options: Type.Optional(Options),
  keep_alive: Type.Optional(KeepAlive),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer()),
  /** Ours: records on loading, queueing and reading the prompt. */
  progress: Type.Optional(Type.Boolean()),
  think: Type.Optional(Type.Unknown()),
  format: Type.Optional(Type.Unknown()),
  truncate: Type.Optional(Type.Boolean()),
  shift: Type.Optional(Type.Boolean()),
};

export const GenerateBody = Type.Object({
  model: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  system: Type.Optional(Type.String()),
  raw: Type.Optional(Type.Boolean()),
  suffix: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  context: Type.Optional(Type.Array(Type.Integer())),
  images: Type.Optional(Type.Array(Type.Unknown())),
  ...common,
});
export type GenerateBody = Static<typeof GenerateBody>;

export const ChatBody = Type.Object({
  model: Type.Optional(Type.String()),
  messages: Type.Optional(
    Type.Array(
      Type.Object({
        role: Type.String(),
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        images: Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Null()])),
        tool_calls: Type.Optional(Type.Unknown()),
        tool_name: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        tool_call_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    ),
  ),
  tools: Type.Optional(Type.Array(Type.Unknown())),
  ...common,
});
export type ChatBody = Static<typeof ChatBody>;
