// Requests of one app that wait for a replica, in the order in which they came.

import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";

export interface Waiter {
  readonly affinity: string | undefined;
  /** It is no reason to keep a replica: a monitor's look, for example. */
  readonly isPassive: boolean;
  /** The replica that has failed it; taken again only where there is no other. */
  readonly avoided: ReplicaSlot | undefined;
  /** The replica holds the request from now on; `AppTraffic.release` gives it back. */
  onGranted(slot: ReplicaSlot): void;
  onRefused(refusal: Refusal): void;
}

export class WaitingQueue {
  #waiters = new Map<Waiter, number>();

  get size(): number {
    return this.#waiters.size;
  }

  /** @param since monotonic milliseconds */
  add(waiter: Waiter, since: number): void {
    this.#waiters.set(waiter, since);
  }

  /** Before all others. */
  addFirst(waiter: Waiter, since: number): void {
    this.#waiters = new Map([[waiter, since], ...this.#waiters]);
  }

  remove(waiter: Waiter): boolean {
    return this.#waiters.delete(waiter);
  }

  get first(): Waiter | undefined {
    return this.#waiters.keys().next().value;
  }

  /** Milliseconds that the one in front has waited; 0 without one. */
  oldestMs(now: number): number {
    const since: number | undefined = this.#waiters.values().next().value;
    return since === undefined ? 0 : now - since;
  }

  /** Empties it. */
  takeAll(): Waiter[] {
    const waiters = [...this.#waiters.keys()];
    this.#waiters.clear();
    return waiters;
  }
}

/** How many may wait, from the settings of an app. */
export function longestQueue(scale: { maxConcurrency: number; maxMultiplexing: number }): number {
  return Math.max(100, 4 * scale.maxConcurrency * scale.maxMultiplexing);
}

const shortestRetrySeconds = 1;
const longestRetrySeconds = 600;
/** Said while nothing is known yet. */
const unknownRetrySeconds = 10;

/**
 * When it makes sense to come back: as long as those in front will take.
 *
 * @param meanMs what a request takes; undefined: not known
 * @param places how many requests are worked on at a time
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
