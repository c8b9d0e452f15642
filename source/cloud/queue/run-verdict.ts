// Decision after a run: store its result, or send the request again.
import type { RunOutcome } from "./gateway-runs.ts";
import type { QueuedRequest } from "./queue-store.ts";

export type Verdict =
  | { kind: "store" }
  | { kind: "again"; delayMs: number; attempts: number }
  /** The replica may have worked on it, and it must not get it twice. */
  | { kind: "fail" };

/** Times that a request is sent to a replica, if it may be repeated. */
const maxAttempts = 2;
const retryMs = 250;
const refusedRetryMs = 1000;

/** Errors of the gateway that waiting does not cure. */
const lasting = new Set([
  "app_not_found",
  "app_deleted",
  "not_found",
  "bad_request",
  "auth_forbidden",
]);
/** Errors of the gateway that leave open what the replica has done. */
const unclear = new Set(["runner_disconnected", "shutting_down", "client_disconnected"]);

/** @param request as stored after the run */
export function judge(
  { attempts, submission }: Pick<QueuedRequest, "attempts" | "submission">,
  outcome: RunOutcome,
): Verdict {
  const { wasStarted } = outcome;
  const mayRepeat = submission.isRepeatable && attempts < maxAttempts;
  if (outcome.kind === "lost") {
    if (!wasStarted) return { kind: "again", delayMs: retryMs, attempts };
    return mayRepeat ? { kind: "again", delayMs: retryMs, attempts } : { kind: "fail" };
  }
  const { errorType } = outcome;
  if (errorType === undefined || lasting.has(errorType)) return { kind: "store" };
  if (!wasStarted) return { kind: "again", delayMs: refusedRetryMs, attempts };
  if (errorType === "runner_connection_refused") {
    // The replica has seen nothing.
    return { kind: "again", delayMs: retryMs, attempts: attempts - 1 };
  }
  if (!unclear.has(errorType) || !mayRepeat) return { kind: "store" };
  return { kind: "again", delayMs: retryMs, attempts };
}
