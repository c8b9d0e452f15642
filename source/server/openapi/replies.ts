// Reply schemas of all routes, for the OpenAPI document: tests check replies against them, the
// running server does not.
import type { TSchema } from "typebox";
import { AnthropicError, anthropicReplies } from "./anthropic-replies.ts";
import { NativeError, nativeReplies } from "./native-replies.ts";
import { OpenAiError, openAiReplies } from "./openai-replies.ts";
import { operationsReplies } from "./operations-replies.ts";
import type { ReplySchemas } from "./reply-parts.ts";

/** Keyed by method and pattern, as `operations`. */
export const replies: Readonly<Record<string, ReplySchemas>> = {
  ...openAiReplies,
  ...anthropicReplies,
  ...nativeReplies,
  ...operationsReplies,
};

/** Error shape at a path. */
export function errorSchema(url: string): TSchema {
  if (url.startsWith("/v1/messages")) return AnthropicError;
  return url.startsWith("/v1/") ? OpenAiError : NativeError;
}

/** Responses of an operation, in the form of a route's schema. */
export function describedReplies(method: string, url: string): Record<string, unknown> {
  const { json, stream, text, status = 200 } = replies[`${method} ${url}`] ?? {};
  const content = {
    ...(json !== undefined && { "application/json": { schema: json } }),
    ...(stream !== undefined && { [stream.type]: { schema: stream.piece } }),
    ...(text === true && { "text/plain": { schema: { type: "string" } } }),
  };
  const hasContent = Object.keys(content).length > 0;
  const description = status < 300 ? descriptionOf(json, stream) : "Not supported.";
  return {
    [status]: { description, ...(hasContent && { content }) },
    default: {
      description: "An error message and its code.",
      content: { "application/json": { schema: errorSchema(url) } },
    },
  };
}

function descriptionOf(json: ReplySchemas["json"], stream: ReplySchemas["stream"]): string {
  if (stream === undefined) return "The whole reply.";
  const pieces = stream.type === "text/event-stream" ? "events" : "lines of JSON";
  return json === undefined
    ? `A stream of ${pieces}.`
    : `The whole reply, or a stream of ${pieces} on request.`;
}
