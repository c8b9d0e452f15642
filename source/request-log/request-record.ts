// Record of a request: who asked for what, and the outcome. Never prompts or answers.
import { type Static, Type } from "typebox";

const text = Type.String();
const count = Type.Integer({ minimum: 0 });
const milliseconds = Type.Number();
const maybe = Type.Optional;

/** Names the one who ended a request before its reply was complete. */
export const Cancellation = Type.Object({
  /** `client`: it left, as with Esc in a chat. `api`: somebody sent `POST /api/cancel`. */
  by: Type.Union([Type.Literal("client"), Type.Literal("api")]),
  /** Belongs to the one who cancelled. */
  address: text,
  agent: maybe(text),
  keyId: maybe(text),
});
export type Cancellation = Static<typeof Cancellation>;

/** The log keeps records of this shape, and the API sends them. Unknown values are absent. */
export const RequestRecord = Type.Object({
  /** Unique while the server runs, e.g. `r-1f`. */
  id: text,
  /** Time of arrival, milliseconds since 1970. */
  startedAt: milliseconds,
  method: text,
  path: text,
  /** As the client named it. */
  model: maybe(text),
  /** 32 hexadecimal digits, while traces are sent. */
  traceId: maybe(text),
  /** Key of the request, if it sent one. */
  keyId: maybe(text),
  client: Type.Object({ address: text, agent: maybe(text) }),
  stream: Type.Boolean(),
  /** Parameters in force: the model's, overridden by the request's; short texts and numbers. */
  parameters: maybe(Type.Record(text, Type.Unknown())),
  state: Type.Union([Type.Literal("running"), Type.Literal("done"), Type.Literal("cancelled")]),
  /** Absent while it runs; 499 for a cancelled one, also if its reply had begun with 200. */
  status: maybe(count),
  cancelled: maybe(Cancellation),
  /** Code and sentence of a failure. */
  error: maybe(Type.Object({ code: text, message: text })),
  /** A sentence for each part of the request that was not served as asked. */
  warnings: maybe(Type.Array(text)),
  finishReason: maybe(text),
  promptTokens: maybe(count),
  /** Prompt tokens read so far, the cached ones included; absent where the engine does not tell. */
  readTokens: maybe(count),
  cachedTokens: maybe(count),
  /** `slot`, `checkpoint`, `memory`, `none`, or `not kept` where an earlier prompt began alike. */
  cachedFrom: maybe(text),
  /** Why it is `none`, in words. */
  cacheMiss: maybe(text),
  completionTokens: maybe(count),
  /** Guessed tokens that steps checked, and those that were right; absent without any. */
  drafted: maybe(count),
  accepted: maybe(count),
  /** Speed with the draft model relative to that without it, if that ended its use. */
  draftSpeed: maybe(Type.Number()),
  slot: maybe(count),
  loadMs: maybe(milliseconds),
  queueMs: maybe(milliseconds),
  /** From slot to first token; until then, to the last of `readTokens`. */
  promptMs: maybe(milliseconds),
  completionMs: maybe(milliseconds),
  tokensPerSecond: maybe(Type.Number()),
  /** From arrival to the first piece of the answer. */
  firstTokenMs: maybe(milliseconds),
  totalMs: maybe(milliseconds),
});
export type RequestRecord = Static<typeof RequestRecord>;
