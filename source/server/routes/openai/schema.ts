// Shapes of the OpenAI-compatible requests.
import { type Static, Type } from "typebox";

const TextPart = Type.Object({ type: Type.Literal("text"), text: Type.String() });
const OtherPart = Type.Object({ type: Type.String() });

export const ChatCompletionBody = Type.Object({
  model: Type.String(),
  messages: Type.Array(
    Type.Object({
      role: Type.String(),
      content: Type.Optional(
        Type.Union([Type.String(), Type.Null(), Type.Array(Type.Union([TextPart, OtherPart]))]),
      ),
      tool_calls: Type.Optional(Type.Unknown()),
      tool_call_id: Type.Optional(Type.String()),
    }),
  ),
  stream: Type.Optional(Type.Boolean()),
  stream_options: Type.Optional(
    Type.Object({ include_usage: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])) }),
  ),
  max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  stop: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
  seed: Type.Optional(Type.Integer()),
  presence_penalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  frequency_penalty: Type.Optional(Type.Number({ minimum: -2, maximum: 2 })),
  logit_bias: Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 100 })),
  ),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  n: Type.Optional(Type.Integer({ minimum: 1 })),
  tools: Type.Optional(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(Type.Unknown()),
  response_format: Type.Optional(Type.Object({ type: Type.String() })),
  reasoning_effort: Type.Optional(Type.String()),
  // Extensions: as on the native API, and llama-server's name for the last one.
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  think: Type.Optional(Type.Unknown()),
  ignore_eos: Type.Optional(Type.Boolean()),
});
export type ChatCompletionBody = Static<typeof ChatCompletionBody>;
