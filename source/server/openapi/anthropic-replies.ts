// Reply schemas of Anthropic's API.
import { Type } from "typebox";
import { count, nullable, type ReplySchemas, text } from "./reply-parts.ts";

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
  type: Type.Union([
    Type.Literal("message_start"),
    Type.Literal("content_block_start"),
    Type.Literal("content_block_delta"),
    Type.Literal("content_block_stop"),
    Type.Literal("message_delta"),
    Type.Literal("message_stop"),
    Type.Literal("ping"),
    Type.Literal("error"),
  ]),
});

export const anthropicReplies: Readonly<Record<string, ReplySchemas>> = {
  "POST /v1/messages": {
    json: Message,
    stream: { type: "text/event-stream", piece: MessageEvent },
  },
  "POST /v1/messages/count_tokens": { json: Type.Object({ input_tokens: count }) },
};
