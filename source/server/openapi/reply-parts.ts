// Parts that the schemas of several replies share.
import { type TSchema, Type } from "typebox";

export const text = Type.String();
export const count = Type.Integer({ minimum: 0 });
export const fraction = Type.Number({ minimum: 0, maximum: 1 });

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** What a reply to one method and path may be. */
export interface ReplySchemas {
  /** Of a whole reply; absent where it has no body. */
  json?: TSchema;
  /** Of each piece of a streamed reply. */
  stream?: { type: "application/x-ndjson" | "text/event-stream"; piece: TSchema };
  /** The reply is plain text. */
  text?: true;
  /** Defaults to 200. */
  status?: number;
}

/** What was left out of a conversation that was too long, where the request allowed it. */
export const Truncated = Type.Object({ messages: count, tokens: count });

/** A token with its log-probability and, where they were asked for, the alternatives. */
export const TokenLogprob = Type.Object({
  token: text,
  logprob: Type.Number(),
  bytes: Type.Array(count),
  top_logprobs: Type.Optional(
    Type.Array(Type.Object({ token: text, logprob: Type.Number(), bytes: Type.Array(count) })),
  ),
});
