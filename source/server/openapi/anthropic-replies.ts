// Reply schemas of Anthropic's API.
import { Type } from "typebox";
import { count, nullable, orEvents, type ReplySchemas, text } from "./reply-parts.ts";

export const AnthropicError = Type.Object({
  type: Type.Literal("error"),
  error: Type.Object({
    type: text,
    message: text,
    details: Type.Object({ error_code: text }),
  }),
  request_id: nullable(text),
});

const ContentBlock = Type.Union([
  Type.Object({ type: Type.Literal("text"), text }),
  Type.Object({ type: Type.Literal("thinking"), thinking: text }),
  Type.Object({
    type: Type.Literal("tool_use"),
    id: text,
    name: text,
    input: Type.Record(text, Type.Unknown()),
  }),
]);

const Message = Type.Object({
  id: text,
  type: Type.Literal("message"),
  role: Type.Literal("assistant"),
  model: text,
  content: Type.Array(ContentBlock),
  stop_reason: nullable(text),
  stop_sequence: nullable(text),
  usage: Type.Object({
    input_tokens: count,
    cache_read_input_tokens: count,
    output_tokens: count,
  }),
});

/** Further fields depend on the type. */
const MessageEvent = Type.Object({
  type: Type.Enum([
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
  ]),
});

export const anthropicReplies: Readonly<Record<string, ReplySchemas>> = {
  "POST /v1/messages": orEvents(Message, MessageEvent),
  "POST /v1/messages/count_tokens": { json: Type.Object({ input_tokens: count }) },
};
