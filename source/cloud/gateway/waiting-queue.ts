// Requests of an app that wait for a replica: their number, and an estimate of their wait.
import type { Conversation } from "./conversations.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";

export interface Waiter {
  readonly affinity: string | undefined;
  /** Undefined if the request has an affinity, or tells no conversation. */
  readonly conversation: Conversation | undefined;
  /** Fails if no replica is ready, instead of waiting for one. */
  readonly failsCold: boolean;
  /** Revision drawn for the request, while traffic is split. */
  revision: string | undefined;
  /** Does not keep a replica running; for example a health check. */
  readonly isPassive: boolean;
  /** Replica that failed the request; used again only if there is no other. */
  readonly avoided: ReplicaSlot | undefined;
  /** Called when the request gets a replica; `AppTraffic.release` returns it. */
  onGranted(slot: ReplicaSlot): void;
  onRefused(refusal: Refusal): void;
}

/** Maximum queue length for the settings of an app. */
export function longestQueue(scale: { maxConcurrency: number; maxMultiplexing: number }): number {
  return Math.max(100, 4 * scale.maxConcurrency * scale.maxMultiplexing);
}

const shortestRetrySeconds = 1;
const longestRetrySeconds = 600;
/** Estimate before any request has finished. */
const unknownRetrySeconds = 10;

/**
 * Estimates when to retry: the time that the queued requests will take.
 *
 * @param meanMs mean duration of a request; undefined if unknown
 * @param places number of requests handled at a time
 */
export function estimateWaitSeconds(
  waiting: number,
  meanMs: number | undefined,
  places: number,
): number {
  if (meanMs === undefined || places === 0) return unknownRetrySeconds;
  const seconds = Math.ceil((waiting * meanMs) / places / 1000);
  return Math.min(longestRetrySeconds, Math.max(shortestRetrySeconds, seconds));
}
