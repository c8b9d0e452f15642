// Error messages for requests that fail after they were admitted.
import type { MinimumRate } from "../../base/body-rate.ts";
import { formatBytes } from "../../base/formats.ts";
import type { FailureKind } from "./attempt.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import type { Refusal } from "./refusals.ts";
import type { BodyFault } from "./request-body.ts";

const retrySeconds = 5;

export function tooLarge(maxBytes: number): Refusal {
  return {
    type: "body_too_large",
    detail: `The request body is larger than the limit of ${formatBytes(maxBytes)}.`,
  };
}

export function bodyRefusal(fault: BodyFault, limits: GatewayLimits): Refusal {
  if (fault === "too_large") return tooLarge(limits.bodyBytes);
  return {
    type: "overloaded",
    detail: "Too many request bodies are queued. Try again in a moment.",
    retryAfterSeconds: retrySeconds,
  };
}

export function bodyTooSlow({ bytes, windowMs }: MinimumRate): Refusal {
  const detail = `The request body arrived too slowly: less than ${formatBytes(bytes)} in ${windowMs / 1000} s.`;
  return { type: "request_stalled", detail, closes: true };
}

export function requestTimeout(timeoutMs: number): Refusal {
  const detail = `The request exceeded the app's limit of ${timeoutMs / 1000} s.`;
  return { type: "request_timeout", detail };
}

export const attemptRefusals: Readonly<Record<FailureKind, Refusal>> = {
  refused: {
    type: "runner_connection_refused",
    detail: "The app's replica refused the connection. Try again in a moment.",
    retryAfterSeconds: retrySeconds,
  },
  gone: {
    type: "runner_disconnected",
    detail: "The app's replica has exited. Try again in a moment.",
    retryAfterSeconds: retrySeconds,
  },
  disconnected: {
    type: "runner_disconnected",
    detail: "The app's replica closed the connection before its response was complete.",
    retryAfterSeconds: retrySeconds,
  },
  invalid_reply: {
    type: "runner_invalid_response",
    detail: "The app's replica sent an invalid HTTP response.",
  },
  invalid_request: { type: "bad_request", detail: "The request cannot be sent as HTTP." },
};
