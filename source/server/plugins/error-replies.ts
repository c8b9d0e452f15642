// Turns errors into replies: the right status, and the shape that the route's clients expect.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { engineErrors } from "../../engine/errors.ts";
import { serverErrors } from "../errors.ts";
import { anthropicErrorBody, isAnthropicUrl } from "./anthropic-errors.ts";
import { validationError } from "./validation-error.ts";

export function replyWithErrors(app: FastifyInstance, log: (text: string) => void): void {
  const knownPaths: RegExp[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    if (method === "OPTIONS") return; // preflights are answered everywhere
    const pattern = url.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"));
    // A parameter stands for one segment.
    knownPaths.push(new RegExp(`^${pattern.join(".*").replaceAll(/:\w+/g, "[^/]+")}$`));
  });
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const known = toProductError(error);
    if (known.code === serverErrors.unexpected.code) log(error.stack ?? String(error));
    return sendError(request, reply, known);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0] ?? "";
    const isKnown = knownPaths.some((pattern) => pattern.test(path));
    return reply
      .code(isKnown ? 405 : 404)
      .type("text/plain; charset=utf-8")
      .send(isKnown ? "405 method not allowed" : "404 page not found");
  });
}

/** Replies with an error in the shape of the route. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ProductError,
): FastifyReply {
  request.failure = { code: error.code, message: error.sentence };
  if (error.retryAfterSeconds !== undefined) {
    reply.header("retry-after", String(error.retryAfterSeconds));
  }
  const id = request.record?.id;
  if (id !== undefined && isAnthropicUrl(request.url)) reply.header("request-id", id);
  return reply.code(error.status).send(errorBody(request.url, error, id));
}

/**
 * `/v1/messages` speaks Anthropic's shape, the other `/v1` routes OpenAI's, and the rest Ollama's.
 *
 * @param requestId by which the log knows the request
 */
export function errorBody(
  url: string,
  error: ProductError,
  requestId?: string,
): Record<string, unknown> {
  if (isAnthropicUrl(url)) return anthropicErrorBody(error, requestId);
  if (!url.startsWith("/v1/")) return { error: error.sentence, code: error.code };
  const types: Record<number, string> = { 400: "invalid_request_error", 404: "not_found_error" };
  return {
    error: {
      message: error.sentence,
      type: types[error.status] ?? "api_error",
      param: error.param || null,
      code: openaiCode(error),
    },
  };
}

/** Our code, but for the one that OpenAI's clients look for to make a conversation shorter. */
export function openaiCode({ code }: ProductError): string {
  return code === engineErrors.promptTooLong.code ? "context_length_exceeded" : code;
}

/** Fastify's own errors get our codes; what is unknown is a defect and says nothing of its inside. */
export function toProductError(error: unknown): ProductError {
  if (error instanceof ProductError) return error;
  const known = error as Partial<FastifyError>;
  const issue = validationError(known.validation ?? []);
  if (issue !== undefined) return issue;
  if (known.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new ProductError(serverErrors.bodyTooLarge, {
      message: "The request's body is larger than this server takes.",
    });
  }
  if (known.statusCode !== undefined && known.statusCode < 500) {
    return new ProductError(
      { ...serverErrors.bodyInvalid, status: known.statusCode },
      { message: known.message ?? "The request cannot be read." },
    );
  }
  return new ProductError(serverErrors.unexpected, {
    message: "The server met an error of its own.",
    hint: "Its log says more.",
    cause: error,
  });
}
