// Parts shared by several reply schemas.
import { type TSchema, Type } from "typebox";

export const text = Type.String();
export const count = Type.Integer({ minimum: 0 });
export const fraction = Type.Number({ minimum: 0, maximum: 1 });

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Reply shapes of one method and path. */
export interface ReplySchemas {
  /** The whole reply; absent when it has no body. */
  json?: TSchema;
  /** Piece of a streamed reply. */
  stream?: { type: "application/x-ndjson" | "text/event-stream"; piece: TSchema };
  /** The reply is plain text. */
  text?: true;
  /** Defaults to 200. */
  status?: number;
}

/** The whole reply, or JSON lines on request. */
export function orLines(json: TSchema, piece = json): ReplySchemas {
  return { json, stream: { type: "application/x-ndjson", piece } };
}

/** The whole reply, or server-sent events on request. */
export function orEvents(json: TSchema, piece: TSchema): ReplySchemas {
  return { json, stream: { type: "text/event-stream", piece } };
}

/** Parts dropped from a conversation that was too long, if the request allowed it. */
export const Truncated = Type.Object({ messages: count, tokens: count });

/** A token with its log-probability and, if requested, its alternatives. */
export const TokenLogprob = Type.Object({
  token: text,
  logprob: Type.Number(),
  bytes: Type.Array(count),
  top_logprobs: Type.Optional(
    Type.Array(Type.Object({ token: text, logprob: Type.Number(), bytes: Type.Array(count) })),
  ),
});

/** Tokens per second of one answer. */
export const Speed = Type.Object({
  measured: Type.Optional(Type.Number()),
  expected: Type.Optional(Type.Object({ low: Type.Number(), high: Type.Number() })),
});
