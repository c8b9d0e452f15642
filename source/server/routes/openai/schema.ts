// Shape of a chat completion request.
import { type Static, type TSchema, Type } from "typebox";
import { withoutEffect } from "../../unknown-fields.ts";
import { commonFields, samplingFields } from "./common-fields.ts";

/** Clients send null for absent fields of messages, as their libraries do. */
const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

const ContentPart = Type.Object({
  type: Type.String(),
  text: Type.Optional(Type.Unknown()),
  refusal: Type.Optional(Type.Unknown()),
  image_url: Type.Optional(Type.Unknown()),
});
export type ContentPart = Static<typeof ContentPart>;

const ToolCall = Type.Object({
  id: orNull(Type.String()),
  type: orNull(Type.String()),
  function: orNull(Type.Object({ name: Type.String(), arguments: Type.String() })),
});

const Message = Type.Object({
  role: Type.String(),
  content: orNull(Type.Union([Type.String(), Type.Array(ContentPart)])),
  tool_calls: orNull(Type.Array(ToolCall)),
  tool_call_id: orNull(Type.String()),
  refusal: orNull(Type.String()),
  /** Thinking of an assistant, under either of its names. */
  reasoning: orNull(Type.String()),
  reasoning_content: orNull(Type.String()),
  function_call: Type.Optional(Type.Unknown()),
  audio: Type.Optional(Type.Unknown()),
});
export type MessageBody = Static<typeof Message>;

const Tool = Type.Object({
  type: Type.String(),
  function: Type.Optional(
    Type.Object({
      name: Type.String({ minLength: 1 }),
      description: orNull(Type.String()),
      parameters: orNull(Type.Record(Type.String(), Type.Unknown())),
      strict: orNull(Type.Boolean()),
    }),
  ),
});
export type ToolBody = Static<typeof Tool>;

const NamedTool = Type.Object({
  type: Type.String(),
  function: Type.Optional(Type.Object({ name: Type.String() })),
});
const ToolChoice = Type.Union([
  Type.String(),
  Type.Object({
    type: Type.String(),
    function: Type.Optional(Type.Object({ name: Type.String() })),
    allowed_tools: Type.Optional(
      Type.Object({ mode: Type.String(), tools: Type.Array(NamedTool) }),
    ),
  }),
]);
export type ToolChoiceBody = Static<typeof ToolChoice>;

const ResponseFormat = Type.Object({
  type: Type.String(),
  json_schema: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      description: orNull(Type.String()),
      schema: Type.Optional(Type.Unknown()),
      strict: orNull(Type.Boolean()),
    }),
  ),
  /** Schema of `json_object`, as in llama-server. */
  schema: Type.Optional(Type.Unknown()),
});
export type ResponseFormatBody = Static<typeof ResponseFormat>;

export const ChatCompletionBody = Type.Object({
  ...commonFields,
  ...samplingFields,
  messages: Type.Optional(Type.Array(Message)),
  max_completion_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  logprobs: Type.Optional(Type.Boolean()),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  tools: Type.Optional(Type.Array(Tool)),
  tool_choice: Type.Optional(ToolChoice),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  response_format: Type.Optional(ResponseFormat),
  reasoning_effort: Type.Optional(Type.String()),
  reasoning: Type.Optional(Type.Object({ effort: orNull(Type.String()) })),
  // Extensions: as on the native API.
  think: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
  /** Most tokens of thinking; 0 turns it off, -1 is no limit. */
  reasoning_budget: Type.Optional(Type.Integer({ minimum: -1 })),
  // As in llama-server and vLLM.
  chat_template_kwargs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  truncate: Type.Optional(Type.Boolean()),
  shift: Type.Optional(Type.Boolean()),
  // Left out: only OpenAI's servers search and moderate.
  web_search_options: orNull(Type.Object({})),
  moderation: orNull(Type.Object({})),
  // Refused unless they have no effect.
  functions: Type.Optional(Type.Array(Type.Unknown())),
  function_call: Type.Optional(Type.Unknown()),
  modalities: Type.Optional(Type.Array(Type.String())),
  audio: Type.Optional(Type.Unknown()),
  _debug_render_only: Type.Optional(Type.Boolean()),
  ...withoutEffect("metadata", "prediction", "prompt_cache_key", "prompt_cache_options"),
  ...withoutEffect("prompt_cache_retention", "safety_identifier", "service_tier", "store"),
  ...withoutEffect("user", "verbosity"),
});
export type ChatCompletionBody = Static<typeof ChatCompletionBody>;
