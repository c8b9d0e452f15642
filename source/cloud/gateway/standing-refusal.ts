// Why an app takes no request at all at the moment, whoever asks.
import type { Refusal } from "./refusals.ts";
import type { RoutedApp } from "./traffic.ts";

const failureRetrySeconds = 30;

/** @param isOpen whether a replica takes requests, of an earlier revision perhaps */
export function standingRefusal(routed: RoutedApp, isOpen: boolean): Refusal | undefined {
  const name = `${routed.organisation}/${routed.app}`;
  if (routed.state === "deleted") {
    return { type: "app_deleted", detail: `The app ${name} was deleted.` };
  }
  if (routed.state === "paused") {
    return {
      type: "app_paused",
      detail: `The app ${name} is paused. deployctl apps resume ${routed.app} ends that.`,
    };
  }
  if (routed.failure === undefined || isOpen) return undefined;
  return {
    type: routed.failure.errorType,
    detail: routed.failure.sentence,
    retryAfterSeconds: failureRetrySeconds,
  };
}
