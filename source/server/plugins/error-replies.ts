// Turns errors into replies with the right status, in the shape that the route's clients expect.
import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { ProductError } from "../../base/product-error.ts";
import { wildcardPattern } from "../../base/quoting.ts";
import { engineErrors } from "../../engine/errors.ts";
import { serverErrors } from "../errors.ts";
import { validationError } from "./validation.ts";

/** Hint for bodies above the limit. */
export const raiseBodyLimit = "Make it smaller, or raise max_body_size.";

export function replyWithErrors(app: FastifyInstance, log: (text: string) => void): void {
  const knownPaths: RegExp[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    if (method === "OPTIONS") return; // preflights work on every path
    // A parameter matches one segment.
    knownPaths.push(new RegExp(`^${wildcardPattern(url).replaceAll(/:\w+/g, "[^/]+")}$`));
  });
  app.setErrorHandler((error: FastifyError | Error, request, reply) => {
    const known = recordFailure(request, error);
    if (known.code === serverErrors.unexpected.code) log(error.stack ?? String(error));
    if (known.retryAfterSeconds !== undefined) {
      reply.header("retry-after", String(known.retryAfterSeconds));
    }
    const id = request.record?.id;
    if (id !== undefined && isAnthropicUrl(request.url)) reply.header("request-id", id);
    return reply.code(known.status).send(errorBody(request.url, known, id));
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

/** Notes an error for the request log; a reply that has begun can no longer tell it by its status. */
export function recordFailure(request: FastifyRequest, error: unknown): ProductError {
  const known = toProductError(error);
  request.failure = { code: known.code, message: known.sentence };
  return known;
}

/**
 * Shapes an error as the route's clients expect: Anthropic's on `/v1/messages`, OpenAI's on other
 * `/v1` routes, Ollama's elsewhere.
 *
 * @param requestId id of the request in the log
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

/** Uses our code, except the one that OpenAI's clients read to shorten a conversation. */
export function openaiCode({ code }: ProductError): string {
  return code === engineErrors.promptTooLong.code ? "context_length_exceeded" : code;
}

/** Gives Fastify's errors our codes; an unknown error is a defect and reveals no internals. */
export function toProductError(error: unknown): ProductError {
  if (error instanceof ProductError) return error;
  const known = error as Partial<FastifyError>;
  const issue = validationError(known.validation ?? []);
  if (issue !== undefined) return issue;
  if (known.code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return new ProductError(serverErrors.bodyTooLarge, {
      message: "The request body is too large.",
      hint: raiseBodyLimit,
    });
  }
  if (known.statusCode !== undefined && known.statusCode < 500) {
    return new ProductError(
      { ...serverErrors.bodyInvalid, status: known.statusCode },
      { message: known.message ?? "The request cannot be read." },
    );
  }
  return new ProductError(serverErrors.unexpected, {
    message: "Internal server error.",
    hint: "See the server log.",
    cause: error,
  });
}

function isAnthropicUrl(url: string): boolean {
  return /^\/v1\/messages(?:[/?]|$)/.test(url);
}

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** @param requestId id of the request in the log */
export function anthropicErrorBody(error: ProductError, requestId: string | undefined) {
  const type = anthropicTypes[error.status] ?? "api_error";
  return {
    type: "error",
    error: { type, message: error.sentence, details: { error_code: error.code } },
    request_id: requestId ?? null,
  };
}
