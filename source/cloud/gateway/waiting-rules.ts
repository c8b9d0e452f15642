// Rules for a request to an app that is unavailable, or has no replica: wait or fail, and the time limit.
import type { Refusal } from "./refusals.ts";
import type { RequestHead } from "./request-head.ts";
import { withoutQuery } from "./request-path.ts";
import type { RoutedApp } from "./traffic.ts";

/** Added to the start-up timeout for the time before and after the start. */
const queueMarginMs = 60_000;
const longestTimeoutMs = 2 ** 31 - 1;
const startingRetrySeconds = 5;
const coldRetrySeconds = 60;
const failureRetrySeconds = 30;

export interface WaitingRules {
  timeoutMs: number;
  /** Sent as `X-Dctl-Timeout-Type`. */
  timeoutSetBy: "user" | "app";
  /** Fails at once if no replica is ready, while one is started. */
  failsCold: boolean;
  /** Never wakes the app, such as a health check. */
  isPassive: boolean;
}

/**
 * Refuses all requests to an app that is deleted, paused or failing.
 *
 * @param isOpen true if a replica accepts requests, possibly of an earlier revision
 */
export function refuseUnavailable(routed: RoutedApp, isOpen: boolean): Refusal | undefined {
  const name = `${routed.organisation}/${routed.app}`;
  if (routed.state === "deleted") {
    return { type: "app_deleted", detail: `The app ${name} was deleted.` };
  }
  if (routed.state === "paused") {
    return {
      type: "app_paused",
      detail: `The app ${name} is paused. Resume it with \`deployctl apps resume ${routed.app}\`.`,
    };
  }
  if (routed.failure === undefined || isOpen) return undefined;
  return {
    type: routed.failure.errorType,
    detail: routed.failure.sentence,
    retryAfterSeconds: failureRetrySeconds,
  };
}

const sleepPaths: ReadonlySet<string> = new Set(["/sleep", "/wake_up"]);

/** Refuses calls of the routes by which the control plane puts an app to sleep and wakes it. */
export function refuseSleepRoute(routed: RoutedApp, rest: string): Refusal | undefined {
  if (routed.reservesSleep !== true || !sleepPaths.has(plainPath(rest))) return undefined;
  const detail = `${plainPath(rest)} is reserved: deployctl puts the replicas of this app to sleep and wakes them.`;
  return { type: "path_reserved", detail };
}

/** Decodes a path as servers do, without its query and a slash at the end. */
function plainPath(rest: string): string {
  const path = URL.parse(withoutQuery(rest), "http://replica")?.pathname ?? rest;
  try {
    return decodeURIComponent(path).replace(/(?<=.)\/+$/, "");
  } catch {
    return path;
  }
}

/** @returns a refusal if a header is invalid */
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
  const { requestStartTimeoutMs, startupTimeoutMs } = routed.limits;
  const appTimeoutMs = requestStartTimeoutMs ?? startupTimeoutMs + queueMarginMs;
  const timeoutMs = seconds === undefined ? appTimeoutMs : seconds * 1000;
  return {
    timeoutMs: Math.min(timeoutMs, longestTimeoutMs),
    timeoutSetBy: seconds === undefined ? "app" : "user",
    failsCold: (coldStart ?? routed.coldStart) === "fail",
    isPassive:
      (method === "GET" || method === "HEAD") && routed.noWakePaths.includes(withoutQuery(rest)),
  };
}

/** Refuses a request that may not wait for a replica to start. */
export function refuseWhileCold({ isPassive, failsCold }: WaitingRules): Refusal | undefined {
  if (isPassive) {
    const detail = "The app is sleeping, and requests to this path do not wake it.";
    return { type: "cold", detail, retryAfterSeconds: coldRetrySeconds };
  }
  if (!failsCold) return undefined;
  const detail = "No replica is ready; one is starting. Try again in a moment.";
  return { type: "starting", detail, retryAfterSeconds: startingRetrySeconds };
}

/** @param wasReady true if a replica was ready at any time during the wait */
export function refuseAfterWait(
  { timeoutMs, timeoutSetBy }: WaitingRules,
  wasReady: boolean,
): Refusal {
  const seconds = timeoutMs / 1000;
  const headers = ["X-Dctl-Timeout-Type", timeoutSetBy];
  return wasReady
    ? { type: "queue_timeout", detail: `No replica had capacity within ${seconds} s.`, headers }
    : { type: "startup_timeout", detail: `No replica was ready within ${seconds} s.`, headers };
}
