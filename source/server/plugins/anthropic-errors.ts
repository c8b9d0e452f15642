// Errors in the shape that Anthropic's clients expect.
import type { ProductError } from "../../base/product-error.ts";

/** Tells if a URL belongs to Anthropic's API. */
export function isAnthropicUrl(url: string): boolean {
  return /^\/v1\/messages(?:[/?]|$)/.test(url);
}

const types: Readonly<Record<number, string>> = {
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
  const type = types[error.status] ?? "api_error";
  return {
    type: "error",
    error: { type, message: error.sentence, details: { error_code: error.code } },
    request_id: requestId ?? null,
  };
}
