// Replica as seen by the gateway: its requests, its limit and its connections.
import type { Clock } from "../../base/clock.ts";
import { type ReplicaAddress, readEndpoint } from "../replica-address.ts";
import type { RoutedReplica } from "./traffic.ts";
import { UpstreamPool } from "./upstream-pool.ts";

/** Interval at which the limit of a new replica doubles. */
const warmUpStepMs = 250;
/** Ready times further in the future mean that the clock was set back. */
const maxFutureMs = 5000;

/** Request limit of a replica after it became ready: 1, 2, 4 ... */
export function warmUpLimit(sinceReadyMs: number, maxMultiplexing: number): number {
  // A clock that was set back must not limit the replica.
  if (sinceReadyMs < -maxFutureMs) return maxMultiplexing;
  const steps = Math.max(0, Math.floor(sinceReadyMs / warmUpStepMs));
  return steps >= 31 ? maxMultiplexing : Math.min(maxMultiplexing, 2 ** steps);
}

export class ReplicaSlot {
  readonly replica: string;
  readonly revision: string;
  readonly endpoint: string;
  readonly address: ReplicaAddress;
  readonly pool: UpstreamPool;
  /** Accepts new requests. */
  isOpen: boolean;
  /** True once it has left the routing table. */
  isRetired = false;
  /** Number of requests in progress. */
  inFlight = 0;
  /** End of its last request, in milliseconds since 1970. */
  lastUsedAt: number | undefined;
  /** Monotonic time until which it is avoided, after it refused a connection. */
  avoidedUntil = 0;
  readonly #onEmpty = new Set<() => void>();
  readonly #onRetired = new Set<() => void>();
  #readyAt: number;
  #isWarm = false;

  constructor(routed: RoutedReplica, connectTimeoutMs: number) {
    this.replica = routed.replica;
    this.revision = routed.revision;
    this.endpoint = routed.endpoint;
    this.address = readEndpoint(routed.endpoint);
    this.isOpen = routed.isOpen;
    this.#readyAt = routed.readyAt;
    this.pool = new UpstreamPool(this.address, connectTimeoutMs);
  }

  update({ isOpen, readyAt }: RoutedReplica): void {
    this.isOpen = isOpen;
    if (readyAt !== this.#readyAt) {
      this.#readyAt = readyAt;
      this.#isWarm = false;
    }
    this.settle();
  }

  /** Marks it as permanently removed from the routing table. */
  retire(): void {
    this.isRetired = true;
    this.isOpen = false;
    this.settle();
    // After the routing table has changed as a whole.
    for (const callback of this.#onRetired) queueMicrotask(callback);
    this.#onRetired.clear();
  }

  /** Calls back once it has left the routing table. @returns unsubscribes */
  whenRetired(callback: () => void): () => void {
    this.#onRetired.add(callback);
    return () => this.#onRetired.delete(callback);
  }

  /** Runs the drain callbacks if it is closed and has no requests. */
  settle(): void {
    if (this.isOpen || this.inFlight > 0) return;
    for (const callback of this.#onEmpty) callback();
    this.#onEmpty.clear();
  }

  /** Calls back once it is closed and has no requests. @returns unsubscribes */
  whenDrained(callback: () => void): () => void {
    this.#onEmpty.add(callback);
    this.settle();
    return () => this.#onEmpty.delete(callback);
  }

  /** Returns how many requests it may have now. */
  limit(maxMultiplexing: number, now: number, clock: Clock): number {
    if (!this.isOpen || this.avoidedUntil > now) return 0;
    if (this.#isWarm) return maxMultiplexing;
    const limit = warmUpLimit(clock.wallMs() - this.#readyAt, maxMultiplexing);
    this.#isWarm = limit >= maxMultiplexing;
    return limit;
  }

  /** Milliseconds until `limit` may grow; undefined if only a new routing table changes it. */
  widensInMs(now: number, wallMs: number): number | undefined {
    if (!this.isOpen) return undefined;
    if (this.avoidedUntil > now) return this.avoidedUntil - now;
    if (this.#isWarm) return undefined;
    const sinceReadyMs = Math.max(0, wallMs - this.#readyAt);
    return warmUpStepMs - (sinceReadyMs % warmUpStepMs);
  }
}
