// Shapes of requests to /v1/messages and /v1/messages/count_tokens. Content is read by hand.
import { type Static, Type } from "typebox";
import { withoutEffect } from "../../unknown-fields.ts";

const effort = ["low", "medium", "high", "xhigh", "max"] as const;

const promptFields = {
  model: Type.String(),
  messages: Type.Array(Type.Unknown()),
  /** Text or text blocks. */
  system: Type.Optional(Type.Unknown()),
  tools: Type.Optional(Type.Array(Type.Unknown())),
  tool_choice: Type.Optional(Type.Unknown()),
  thinking: Type.Optional(
    Type.Object({
      type: Type.String(),
      budget_tokens: Type.Optional(Type.Integer({ minimum: -1 })),
    }),
  ),
  output_config: Type.Optional(
    Type.Object({
      effort: Type.Optional(Type.Union([...effort.map((word) => Type.Literal(word)), Type.Null()])),
      format: Type.Optional(Type.Unknown()),
    }),
  ),
  // Extensions: as on the native API.
  keep_alive: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  /** The older name of `output_config.format`. */
  output_format: Type.Optional(Type.Unknown()),
  // Left out: only Anthropic's servers run code and call tools.
  container: Type.Optional(Type.Union([Type.String(), Type.Object({}), Type.Null()])),
  mcp_servers: Type.Optional(Type.Union([Type.Array(Type.Unknown()), Type.Null()])),
  // Refused when sent.
  compaction: Type.Optional(Type.Unknown()),
  thread: Type.Optional(Type.Unknown()),
  ...withoutEffect("betas", "billing_policy", "cache_control", "context_management", "speed"),
  ...withoutEffect("user_profile_id", "workspace_id"),
};

/** Fields that make up a prompt. */
export const CountTokensBody = Type.Object(promptFields);
export type CountTokensBody = Static<typeof CountTokensBody>;

export const MessageBody = Type.Object({
  ...promptFields,
  max_tokens: Type.Integer({ minimum: 1 }),
  stream: Type.Optional(Type.Boolean()),
  stop_sequences: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: Type.Optional(Type.Integer({ minimum: 0 })),
  ...withoutEffect("diagnostics", "fallback_credit_token", "fallbacks", "inference_geo"),
  ...withoutEffect("metadata", "service_tier"),
});
export type MessageBody = Static<typeof MessageBody>;
