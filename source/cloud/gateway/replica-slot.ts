// One replica as the gateway sees it: what it holds, what it may be given, and the way to it.
import type { Clock } from "../../base/clock.ts";
import type { RoutedReplica } from "./traffic.ts";
import { UpstreamPool } from "./upstream-pool.ts";

/** In this time a replica that has just become ready may be given twice as much as before. */
const warmUpStepMs = 250;
/** A time that is further ahead than this is from before the clock was put back. */
const mostFutureMs = 5000;

/** How much a replica may hold so long after it became ready: 1, 2, 4 ... */
export function warmUpLimit(sinceReadyMs: number, maxMultiplexing: number): number {
  // The clock was put back: it must not make the replica small for as long.
  if (sinceReadyMs < -mostFutureMs) return maxMultiplexing;
  const steps = Math.max(0, Math.floor(sinceReadyMs / warmUpStepMs));
  return steps >= 31 ? maxMultiplexing : Math.min(maxMultiplexing, 2 ** steps);
}

export class ReplicaSlot {
  readonly replica: string;
  readonly revision: string;
  readonly endpoint: string;
  readonly pool: UpstreamPool;
  /** Whether it takes new requests. */
  isOpen: boolean;
  /** Whether it has left the table. */
  isRetired = false;
  /** Requests that it holds. */
  inFlight = 0;
  /** Milliseconds since 1970 of the last request's end. */
  lastUsedAt: number | undefined;
  /** Monotonic: it refused a connection and is left alone until then. */
  avoidedUntil = 0;
  readonly #onEmpty = new Set<() => void>();
  #readyAt: number;
  #isWarm = false;

  constructor(routed: RoutedReplica, connectTimeoutMs: number) {
    this.replica = routed.replica;
    this.revision = routed.revision;
    this.endpoint = routed.endpoint;
    this.isOpen = routed.isOpen;
    this.#readyAt = routed.readyAt;
    this.pool = new UpstreamPool(routed.endpoint, connectTimeoutMs);
  }

  update({ isOpen, readyAt }: RoutedReplica): void {
    this.isOpen = isOpen;
    if (readyAt !== this.#readyAt) {
      this.#readyAt = readyAt;
      this.#isWarm = false;
    }
    this.settle();
  }

  /** It was taken out of the table, and never comes back. */
  retire(): void {
    this.isRetired = true;
    this.isOpen = false;
    this.settle();
  }

  /** To be called when it may have become closed or empty. */
  settle(): void {
    if (this.isOpen || this.inFlight > 0) return;
    for (const callback of this.#onEmpty) callback();
    this.#onEmpty.clear();
  }

  /** Calls back once it takes nothing and holds nothing. @returns stops waiting */
  whenDrained(callback: () => void): () => void {
    this.#onEmpty.add(callback);
    this.settle();
    return () => this.#onEmpty.delete(callback);
  }

  /** How many requests it may hold at this moment. */
  limit(maxMultiplexing: number, now: number, clock: Clock): number {
    if (!this.isOpen || this.avoidedUntil > now) return 0;
    if (this.#isWarm) return maxMultiplexing;
    const limit = warmUpLimit(clock.wallMs() - this.#readyAt, maxMultiplexing);
    this.#isWarm = limit >= maxMultiplexing;
    return limit;
  }

  /** Milliseconds until `limit` may be larger; undefined: no sooner than the table changes. */
  widensInMs(now: number, wallMs: number): number | undefined {
    if (!this.isOpen) return undefined;
    if (this.avoidedUntil > now) return this.avoidedUntil - now;
    if (this.#isWarm) return undefined;
    const sinceReadyMs = Math.max(0, wallMs - this.#readyAt);
    return warmUpStepMs - (sinceReadyMs % warmUpStepMs);
  }
}
