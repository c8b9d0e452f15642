// Reply schemas of OpenAI's API.
import { Type } from "typebox";
import {
  count,
  nullable,
  orEvents,
  type ReplySchemas,
  TokenLogprob,
  Truncated,
  text,
} from "./reply-parts.ts";

export const OpenAiError = Type.Object({
  error: Type.Object({ message: text, type: text, param: nullable(text), code: text }),
});

const Usage = Type.Object({
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  prompt_tokens_details: Type.Object({ cached_tokens: count }),
  completion_tokens_details: Type.Object({ reasoning_tokens: count }),
});

const head = {
  id: text,
  created: Type.Integer(),
  model: text,
  system_fingerprint: text,
};

const ChatLogprobs = nullable(
  Type.Object({ content: Type.Array(TokenLogprob), refusal: Type.Null() }),
);

const reasoning = { reasoning: Type.Optional(text), reasoning_content: Type.Optional(text) };

const ToolCall = Type.Object({
  id: text,
  type: Type.Literal("function"),
  function: Type.Object({ name: text, arguments: text }),
});

const FinishReason = Type.Enum(["stop", "length", "tool_calls"]);

const ChatCompletion = Type.Object({
  ...head,
  object: Type.Literal("chat.completion"),
  choices: Type.Array(
    Type.Object({
      index: count,
      message: Type.Object({
        role: Type.Literal("assistant"),
        content: nullable(text),
        refusal: Type.Null(),
        ...reasoning,
        tool_calls: Type.Optional(Type.Array(ToolCall)),
      }),
      logprobs: ChatLogprobs,
      finish_reason: FinishReason,
    }),
  ),
  usage: Usage,
  truncated: Type.Optional(Truncated),
});

const ChatChunk = Type.Object({
  ...head,
  object: Type.Literal("chat.completion.chunk"),
  choices: Type.Array(
    Type.Object({
      index: count,
      delta: Type.Object({
        role: Type.Optional(Type.Literal("assistant")),
        content: Type.Optional(nullable(text)),
        ...reasoning,
        tool_calls: Type.Optional(
          Type.Array(
            Type.Object({
              index: count,
              id: Type.Optional(text),
              type: Type.Optional(Type.Literal("function")),
              function: Type.Object({ name: Type.Optional(text), arguments: text }),
            }),
          ),
        ),
      }),
      logprobs: ChatLogprobs,
      finish_reason: nullable(FinishReason),
    }),
  ),
  usage: Type.Optional(Usage),
  truncated: Type.Optional(Truncated),
});

const Completion = Type.Object({
  ...head,
  object: Type.Literal("text_completion"),
  choices: Type.Array(
    Type.Object({
      text,
      index: count,
      logprobs: nullable(
        Type.Object({
          tokens: Type.Array(text),
          token_logprobs: Type.Array(Type.Number()),
          top_logprobs: nullable(Type.Array(Type.Record(text, Type.Number()))),
          text_offset: Type.Array(count),
        }),
      ),
      finish_reason: nullable(text),
    }),
  ),
  usage: Type.Optional(Usage),
});

const EmbeddingList = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(
    Type.Object({
      object: Type.Literal("embedding"),
      /** Base64 of 32-bit floats, if requested. */
      embedding: Type.Union([Type.Array(Type.Number()), text]),
      index: count,
    }),
  ),
  model: text,
  usage: Type.Object({ prompt_tokens: count, total_tokens: count }),
});

const Model = Type.Object({
  id: text,
  object: Type.Literal("model"),
  created: Type.Integer(),
  owned_by: text,
  description: Type.Optional(text),
  examples: Type.Optional(Type.Array(text)),
  loaded_as: Type.Optional(text),
});

const ItemStatus = Type.Enum(["in_progress", "completed", "incomplete"]);

const OutputItem = Type.Union([
  Type.Object({
    id: text,
    type: Type.Literal("message"),
    status: ItemStatus,
    role: Type.Literal("assistant"),
    content: Type.Array(
      Type.Object({
        type: Type.Literal("output_text"),
        text,
        annotations: Type.Array(Type.Unknown()),
        logprobs: Type.Array(TokenLogprob),
      }),
    ),
  }),
  Type.Object({
    id: text,
    type: Type.Literal("reasoning"),
    status: ItemStatus,
    summary: Type.Array(Type.Object({ type: Type.Literal("summary_text"), text })),
  }),
  Type.Object({
    id: text,
    type: Type.Literal("function_call"),
    status: ItemStatus,
    call_id: text,
    name: text,
    arguments: text,
  }),
]);

const Response = Type.Object({
  id: text,
  object: Type.Literal("response"),
  created_at: Type.Integer(),
  completed_at: nullable(Type.Integer()),
  status: Type.Union([ItemStatus, Type.Literal("failed")]),
  error: nullable(Type.Object({ code: text, message: text })),
  incomplete_details: nullable(Type.Object({ reason: text })),
  model: text,
  output: Type.Array(OutputItem),
  usage: nullable(
    Type.Object({
      input_tokens: count,
      input_tokens_details: Type.Object({ cached_tokens: count, cache_write_tokens: count }),
      output_tokens: count,
      output_tokens_details: Type.Object({ reasoning_tokens: count }),
      total_tokens: count,
    }),
  ),
  truncated: Type.Optional(Truncated),
});

/** Further fields depend on the type. */
const ResponseEvent = Type.Object({ type: text, sequence_number: count });

export const openAiReplies: Readonly<Record<string, ReplySchemas>> = {
  "POST /v1/chat/completions": orEvents(ChatCompletion, ChatChunk),
  "POST /v1/completions": orEvents(Completion, Completion),
  "POST /v1/embeddings": { json: EmbeddingList },
  "POST /v1/rerank": {
    json: Type.Object({
      object: Type.Literal("list"),
      model: text,
      results: Type.Array(
        Type.Object({
          index: count,
          relevance_score: Type.Number({ minimum: 0, maximum: 1 }),
          document: Type.Optional(Type.Object({ text })),
        }),
      ),
      usage: Type.Object({ prompt_tokens: count, total_tokens: count }),
    }),
  },
  "POST /v1/responses": orEvents(Response, ResponseEvent),
  "POST /v1/audio/transcriptions": { json: OpenAiError, status: 501 },
  "GET /v1/models": {
    json: Type.Object({ object: Type.Literal("list"), data: Type.Array(Model) }),
  },
  "GET /v1/models/*": { json: Model },
};
