// Refusal of all requests to an app that is deleted, paused or failing.
import type { Refusal } from "./refusals.ts";
import type { RoutedApp } from "./traffic.ts";

const failureRetrySeconds = 30;

/** @param isOpen true if a replica accepts requests, possibly of an earlier revision */
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
