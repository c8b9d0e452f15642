// Shape of a request to /v1/responses. Unions are read by hand.
import { type Static, type TSchema, Type } from "typebox";
import { withoutEffect } from "../../../unknown-fields.ts";

/** Clients send null for absent fields of objects, as their libraries do. */
const orNull = <Schema extends TSchema>(schema: Schema) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

export const ResponseBody = Type.Object({
  model: Type.String(),
  /** Text or items. */
  input: Type.Optional(Type.Unknown()),
  instructions: Type.Optional(Type.String()),
  stream: Type.Optional(Type.Boolean()),
  max_output_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_logprobs: Type.Optional(Type.Integer({ minimum: 0, maximum: 20 })),
  include: Type.Optional(Type.Array(Type.String())),
  tools: Type.Optional(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(Type.Unknown()),
  parallel_tool_calls: Type.Optional(Type.Boolean()),
  /** Parameters of tools that this server lacks. */
  max_tool_calls: Type.Optional(Type.Integer({ minimum: 1 })),
  reasoning: Type.Optional(
    Type.Object({ effort: orNull(Type.String()), summary: orNull(Type.String()) }),
  ),
  text: Type.Optional(
    Type.Object({ format: Type.Optional(Type.Unknown()), verbosity: orNull(Type.String()) }),
  ),
  truncation: Type.Optional(Type.Union([Type.Literal("auto"), Type.Literal("disabled")])),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Without effect: nothing is stored. */
  store: Type.Optional(Type.Boolean()),
  // Extensions: as on the native API.
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  think: Type.Optional(Type.Union([Type.Boolean(), Type.String()])),
  // As in llama-server and vLLM.
  chat_template_kwargs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  // llama-server's, in GBNF.
  grammar: Type.Optional(Type.String()),
  // Refused unless they have no effect.
  background: Type.Optional(Type.Boolean()),
  context_management: Type.Optional(Type.Unknown()),
  conversation: Type.Optional(Type.Unknown()),
  moderation: Type.Optional(Type.Unknown()),
  previous_response_id: Type.Optional(Type.Unknown()),
  prompt: Type.Optional(Type.Unknown()),
  ...withoutEffect("access_programs", "client_metadata", "image", "prompt_cache_key"),
  ...withoutEffect("prompt_cache_options", "prompt_cache_retention", "safety_identifier"),
  ...withoutEffect("service_tier", "stream_options", "user"),
});
export type ResponseBody = Static<typeof ResponseBody>;
