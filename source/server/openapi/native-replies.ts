// Reply schemas of Ollama's API and our additions.
import { Type } from "typebox";
import {
  count,
  orLines,
  type ReplySchemas,
  Speed,
  TokenLogprob,
  Truncated,
  text,
} from "./reply-parts.ts";

export const NativeError = Type.Object({ error: text, code: text });

const maybe = Type.Optional;
const anything = Type.Record(text, Type.Unknown());

const ToolCall = Type.Object({
  id: text,
  function: Type.Object({ index: count, name: text, arguments: anything }),
});

/** Durations are nanoseconds; zeros are left out. */
const answer = {
  model: text,
  created_at: text,
  done: Type.Boolean(),
  done_reason: maybe(text),
  /** With `progress: true`: `checking`, `queued`, `loading`, `warming up` or `prompt`. */
  status: maybe(text),
  /** Name of the model file being read; with `checking`. */
  file: maybe(text),
  queue_position: maybe(count),
  completed: maybe(Type.Number()),
  total: maybe(Type.Number()),
  logprobs: maybe(Type.Array(TokenLogprob)),
  truncated: maybe(Truncated),
  /** With `_debug_render_only: true`: the prompt and its number of images. */
  _debug_info: maybe(Type.Object({ rendered_template: text, image_count: maybe(count) })),
  total_duration: maybe(count),
  load_duration: maybe(count),
  prompt_eval_count: maybe(count),
  prompt_eval_cached_count: maybe(count),
  prompt_eval_duration: maybe(count),
  eval_count: maybe(count),
  drafted_count: maybe(count),
  accepted_count: maybe(count),
  draft_speed: maybe(Type.Number()),
  eval_duration: maybe(count),
};

const GenerateRecord = Type.Object({
  ...answer,
  response: text,
  thinking: maybe(text),
  tool_calls: maybe(Type.Array(ToolCall)),
  /** Tokens that a later prompt can reuse. */
  context: maybe(Type.Array(count)),
});

const ChatRecord = Type.Object({
  ...answer,
  message: Type.Object({
    role: Type.Literal("assistant"),
    content: text,
    thinking: maybe(text),
    tool_calls: maybe(Type.Array(ToolCall)),
  }),
});

const vectors = Type.Array(Type.Number());

const Details = Type.Object({
  parent_model: text,
  format: text,
  family: text,
  families: Type.Array(text),
  parameter_size: text,
  quantization_level: text,
  context_length: maybe(count),
  embedding_length: maybe(count),
});

const Listed = Type.Object({
  name: text,
  model: text,
  modified_at: text,
  size: count,
  digest: text,
  details: Details,
  capabilities: maybe(Type.Array(text)),
  store: text,
  memory: maybe(
    Type.Object({
      weights_bytes: count,
      compute_bytes: count,
      cache_bytes_per_token: Type.Record(text, Type.Number()),
      cache_type: text,
      swa_full: maybe(Type.Boolean()),
      layers: count,
      slots: count,
      window_room_bytes: Type.Number(),
      context_length: count,
      window_limit: text,
      trained_context_length: count,
    }),
  ),
  speed: maybe(Speed),
});

const Loaded = Type.Object({
  name: text,
  model: text,
  names: Type.Array(text),
  size: count,
  size_vram: count,
  digest: text,
  details: Details,
  expires_at: text,
  context_length: count,
  state: Type.Enum(["loading", "warming up", "busy", "idle"]),
  load_progress: Type.Number(),
  requests: Type.Object({ running: count, waiting: count }),
  slots: count,
  window_limit: text,
  load_options: anything,
  draft: maybe(Type.Object({ name: text, size: count })),
  warnings: Type.Array(text),
  device: maybe(text),
  process_id: maybe(count),
  load_phases_ms: maybe(anything),
});

/** Names and shapes are Ollama's; additions are marked as ours. */
export const Description = Type.Object({
  /** Ours: its name with the tag, or its path. */
  name: text,
  /** Ours: `modelctl`, `ollama`, `lm-studio`, `built-in` or `file`. */
  store: text,
  modelfile: text,
  /** License texts, joined by newlines. */
  license: maybe(text),
  /** Lines of a name and a value: `num_ctx                        4096`. */
  parameters: maybe(text),
  /** The template in force, in either language. */
  template: maybe(text),
  system: maybe(text),
  details: Details,
  messages: maybe(Type.Array(Type.Object({ role: text, content: text }))),
  /** The file's metadata, without its name and its template. */
  model_info: anything,
  projector_info: maybe(anything),
  /** Ours: the model that drafts its answers. */
  draft: maybe(Type.Object({ name: text, architecture: text, size: count, memory: count })),
  /** Ours: number of MTP heads, and why they cannot be used. */
  mtp: maybe(Type.Object({ heads: count, problem: maybe(text) })),
  tensors: Type.Array(Type.Object({ name: text, type: text, shape: Type.Array(count) })),
  capabilities: Type.Array(text),
  modified_at: text,
  requires: maybe(text),
  /** Ours: the template's source, and why it was chosen. */
  template_origin: Type.Object({
    origin: text,
    language: maybe(text),
    reason: text,
    is_guess: Type.Boolean(),
    unsupported: maybe(Type.Array(Type.Object({ conversation: text, reason: text }))),
  }),
  /** Ours: settings that a Modelfile cannot express. */
  unprintable: Type.Array(Type.Object({ field: text, reason: text })),
  /** Ours: capabilities that the model's author claims. */
  description: maybe(text),
});

/** Progress record of long work; the last one says `success`. */
const ProgressRecord = Type.Object({
  status: maybe(text),
  digest: maybe(text),
  total: maybe(count),
  completed: maybe(count),
  overall_total: maybe(count),
  overall_completed: maybe(count),
  /** With `/api/create` without a stream: fields that have no effect. */
  warnings: maybe(Type.Array(text)),
  /** The work failed; this is the last line. */
  error: maybe(text),
  code: maybe(text),
});

const work: ReplySchemas = orLines(ProgressRecord);

const AppliedTemplate = Type.Object({
  model: text,
  prompt: text,
  tokens: count,
  images: count,
  truncated: maybe(Truncated),
});

export const nativeReplies: Readonly<Record<string, ReplySchemas>> = {
  "POST /api/generate": orLines(GenerateRecord),
  "POST /api/chat": orLines(ChatRecord),
  "POST /api/embed": {
    json: Type.Object({
      model: text,
      embeddings: Type.Array(vectors),
      total_duration: maybe(count),
      load_duration: maybe(count),
      prompt_eval_count: maybe(count),
    }),
  },
  "POST /api/embeddings": { json: Type.Object({ embedding: vectors }) },
  "POST /api/apply-template": { json: AppliedTemplate },
  "POST /apply-template": { json: AppliedTemplate },
  "POST /api/tokenize": { json: Type.Object({ tokens: Type.Array(count), model: text }) },
  "POST /api/detokenize": { json: Type.Object({ content: text }) },
  "POST /api/answer-now": { json: Type.Object({ id: text, status: Type.Literal("answering") }) },
  "POST /api/cancel": { json: Type.Object({ id: text, status: Type.Literal("cancelled") }) },
  "GET /api/tags": { json: Type.Object({ models: Type.Array(Listed) }) },
  "GET /api/ps": { json: Type.Object({ models: Type.Array(Loaded) }) },
  "POST /api/show": { json: Description },
  "POST /api/create": work,
  "POST /api/copy": {},
  "DELETE /api/delete": {
    /** Only for a dry run; otherwise there is no body. */
    json: Type.Object({
      name: text,
      freed_bytes: count,
      shared_bytes: count,
      referred_bytes: count,
    }),
  },
  "POST /api/pull": work,
  "POST /api/push": { json: NativeError, status: 501 },
  "POST /api/blobs/:digest": {},
};
