// The sentences for a request that was let in and fails on its way.
import type { MinimumRate } from "../../base/body-rate.ts";
import { formatBytes } from "../../base/byte-format.ts";
import type { FailureKind } from "./attempt.ts";
import type { GatewayLimits } from "./gateway-options.ts";
import type { Refusal } from "./refusals.ts";
import type { BodyFault } from "./request-body.ts";

const retrySeconds = 5;

export function tooLarge(mostBytes: number): Refusal {
  return {
    type: "body_too_large",
    detail: `The request's body is larger than the ${formatBytes(mostBytes)} that are taken here.`,
  };
}

export function bodyRefusal(fault: BodyFault, limits: GatewayLimits): Refusal {
  if (fault === "too_large") return tooLarge(limits.bodyBytes);
  return {
    type: "overloaded",
    detail: "Too much is waiting for replicas already. Try again in a moment.",
    retryAfterSeconds: retrySeconds,
  };
}

export function bodyTooSlow({ bytes, windowMs }: MinimumRate): Refusal {
  const detail = `The request's body came too slowly: less than ${formatBytes(bytes)} in ${windowMs / 1000} s.`;
  return { type: "request_stalled", detail, closes: true };
}

export function requestTimeout(timeoutMs: number): Refusal {
  const detail = `The request took longer than the ${timeoutMs / 1000} s that the app allows.`;
  return { type: "request_timeout", detail };
}

export function refuseAttempt(kind: FailureKind): Refusal {
  switch (kind) {
    case "refused":
      return {
        type: "runner_connection_refused",
        detail: "The app's replica takes no connection. Try again in a moment.",
        retryAfterSeconds: retrySeconds,
      };
    case "disconnected":
      return {
        type: "runner_disconnected",
        detail: "The app's replica ended the connection before its reply was complete.",
        retryAfterSeconds: retrySeconds,
      };
    case "invalid_reply":
      return {
        type: "runner_invalid_response",
        detail: "The app's replica answered with something that is not HTTP.",
      };
    case "invalid_request":
      return { type: "bad_request", detail: "The request cannot be passed on as HTTP." };
  }
}
