// Whether and how long a request waits while its app has no replica for it.
import type { Refusal } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import { withoutQuery } from "./request-path.ts";
import type { RoutedApp } from "./traffic.ts";

/** Beyond the start-up timeout, for what comes before and after it. */
const queueMarginMs = 60_000;
const longestTimeoutMs = 2 ** 31 - 1;
const startingRetrySeconds = 5;
const coldRetrySeconds = 60;

export interface WaitingRules {
  timeoutMs: number;
  /** Who has set it; told in `X-Dctl-Timeout-Type`. */
  timeoutSetBy: "user" | "app";
  /** Refused at once where no replica is ready, though one is to be started. */
  failsCold: boolean;
  /** A look that never wakes an app. */
  isPassive: boolean;
}

/** @returns a refusal for a header that makes no sense */
export function readWaitingRules(
  routed: RoutedApp,
  { startTimeout, coldStart }: RequestHead,
  { method, rest }: { method: string; rest: string },
): WaitingRules | Refusal {
  const seconds = startTimeout === undefined ? undefined : Number(startTimeout);
  if (seconds !== undefined && (startTimeout?.trim() === "" || !(seconds >= 0))) {
    const detail = "X-Dctl-Start-Timeout must be a number of seconds, such as 30.";
    return { type: "bad_request", detail };
  }
  if (coldStart !== undefined && coldStart !== "wait" && coldStart !== "fail") {
    return { type: "bad_request", detail: "X-Dctl-Cold-Start must be 'wait' or 'fail'." };
  }
  const appTimeoutMs = routed.limits.startupTimeoutMs + queueMarginMs;
  const timeoutMs = seconds === undefined ? appTimeoutMs : seconds * 1000;
  return {
    timeoutMs: Math.min(timeoutMs, longestTimeoutMs),
    timeoutSetBy: seconds === undefined ? "app" : "user",
    failsCold: (coldStart ?? routed.coldStart) === "fail",
    isPassive:
      (method === "GET" || method === "HEAD") && routed.noWakePaths.includes(withoutQuery(rest)),
  };
}

/** Why a request may not even wait for a replica that is to be started. */
export function refuseWhileCold({ isPassive, failsCold }: WaitingRules): Refusal | undefined {
  if (isPassive) {
    const detail = "The app sleeps, and requests of this path do not wake it.";
    return { type: "cold", detail, retryAfterSeconds: coldRetrySeconds };
  }
  if (!failsCold) return undefined;
  const detail = "The app has no ready replica; one is being started. Try again in a moment.";
  return { type: "starting", detail, retryAfterSeconds: startingRetrySeconds };
}

/** @param wasReady whether a replica was ready at any time meanwhile */
export function refuseAfterWait(
  { timeoutMs, timeoutSetBy }: WaitingRules,
  wasReady: boolean,
): Refusal {
  const seconds = timeoutMs / 1000;
  const headers = ["X-Dctl-Timeout-Type", timeoutSetBy];
  return wasReady
    ? { type: "queue_timeout", detail: `No replica had room within ${seconds} s.`, headers }
    : { type: "startup_timeout", detail: `No replica was ready within ${seconds} s.`, headers };
}
