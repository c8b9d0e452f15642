// Requests of one app, both in progress and queued, and the choice of their replicas.
import type { Clock } from "../../base/clock.ts";
import { chooseByAffinity, chooseLeastBusy } from "./choose-replica.ts";
import { ServedConversations } from "./conversations.ts";
import { ModelsCache } from "./models-cache.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { Demand, RoutedApp, Waiting } from "./traffic.ts";
import { sharedTraffic, TrafficShares } from "./traffic-shares.ts";
import { estimateWaitSeconds, longestQueue, type Waiter } from "./waiting-queue.ts";
import { refuseUnavailable } from "./waiting-rules.ts";

/** Weight of the latest request in the mean duration. */
const meanWeight = 0.1;
/** Time for which a replica that refused a connection is avoided. */
const avoidMs = 1000;

export class AppTraffic {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  /** Waiting requests in order, with the monotonic time of their arrival. */
  #queue = new Map<Waiter, number>();
  readonly cachedModels = new ModelsCache();
  readonly #conversations = new ServedConversations();
  readonly #shares = new TrafficShares();
  routed: RoutedApp;
  #slots: readonly ReplicaSlot[] = [];
  #busy = 0;
  #meanMs: number | undefined;
  /** Monotonic time of the first request that failed without a ready replica, until one is open. */
  #wantedSince: number | undefined;
  /** State in the previous routing table. */
  #wasOpen = false;
  /** Monotonic time at which a replica was last open. */
  #openAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** @param onChange called when a request arrives, is dispatched, or ends */
  constructor(routed: RoutedApp, clock: Clock, onChange: () => void) {
    this.routed = routed;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** True if any replica accepts requests. */
  get isOpen(): boolean {
    return this.#slots.some((slot) => slot.isOpen);
  }

  /** Returns true if one of the replicas for the request accepts requests. */
  isOpenFor(waiter: Waiter): boolean {
    const revision = this.#revisionOf(waiter);
    return revision === undefined ? this.isOpen : this.#isOpenIn(revision, undefined);
  }

  /** Returns true if a replica accepted requests at any time since. */
  wasOpenSince(since: number): boolean {
    return this.isOpen || this.#openAt >= since;
  }

  get demand(): Demand {
    const now = this.#clock.now();
    const wantedMs = this.#wantedSince === undefined ? undefined : now - this.#wantedSince;
    const oldestMs = now - (this.#queue.values().next().value ?? now);
    const isWanted =
      wantedMs !== undefined && wantedMs < this.routed.limits.startupTimeoutMs && !this.isOpen;
    return {
      busy: this.#busy,
      queued: Math.max(this.#queue.size, isWanted ? 1 : 0),
      oldestQueuedMs: Math.max(oldestMs, isWanted ? wantedMs : 0),
      ...this.#dividedDemand(now, isWanted ? wantedMs : undefined),
    };
  }

  /** @param wantedMs age of the oldest request that failed without a ready replica; it still needs one */
  #dividedDemand(now: number, wantedMs: number | undefined): Partial<Demand> {
    const { candidate } = this.routed;
    if (candidate === undefined) return {};
    const ofCandidate: Waiting = { queued: 0, oldestQueuedMs: 0 };
    const ofActive: Waiting = {
      queued: wantedMs === undefined ? 0 : 1,
      oldestQueuedMs: wantedMs ?? 0,
    };
    for (const [waiter, since] of this.#queue) {
      const part = waiter.revision === candidate.revision ? ofCandidate : ofActive;
      part.queued += 1;
      part.oldestQueuedMs = Math.max(part.oldestQueuedMs, now - since);
    }
    return { ofCandidate, ofActive };
  }

  update(routed: RoutedApp, slots: readonly ReplicaSlot[]): void {
    if (this.#wasOpen) this.#openAt = this.#clock.now();
    this.routed = routed;
    this.cachedModels.update(routed);
    this.#slots = slots;
    this.#wasOpen = this.isOpen;
    if (this.#wasOpen) this.#wantedSince = undefined;
    const refusal = refuseUnavailable(routed, this.isOpen);
    if (refusal !== undefined) this.refuseAll(refusal);
    this.#serve();
  }

  /** Refuses all queued requests, when the app is removed or the gateway stops. */
  refuseAll(refusal: Refusal): void {
    clearTimeout(this.#timer);
    if (this.#queue.size === 0) return;
    const waiters = [...this.#queue.keys()];
    this.#queue.clear();
    for (const waiter of waiters) waiter.onRefused(refusal);
    this.#onChange();
  }

  /** Takes a free replica; queued requests go first, unless this one is a retry. */
  take(waiter: Waiter): ReplicaSlot | undefined {
    const revision = this.#revisionOf(waiter);
    const comesFirst = waiter.avoided !== undefined || !this.#hasQueued(revision);
    const slot = comesFirst ? this.#choose(waiter, revision) : undefined;
    if (slot !== undefined) this.#hand(slot, waiter);
    return slot;
  }

  /** @returns the refusal if the queue is full */
  enqueue(waiter: Waiter): Refusal | undefined {
    const most = longestQueue(this.routed.scale);
    if (waiter.avoided !== undefined) {
      // A retry after its replica failed.
      this.#queue = new Map([[waiter, this.#clock.now()], ...this.#queue]);
    } else if (this.#queue.size < most) {
      this.#queue.set(waiter, this.#clock.now());
    } else {
      return {
        type: "queue_full",
        detail: `The queue of this app is full (${most} requests). Try again later.`,
        retryAfterSeconds: this.#estimateSeconds(),
      };
    }
    this.#onChange();
    this.#scheduleServing();
    return undefined;
  }

  leave(waiter: Waiter): void {
    if (this.#queue.delete(waiter)) this.#onChange();
  }

  /** Keeps the demand for a replica until one is open, although no request is queued. */
  wantReplica(): void {
    this.#wantedSince ??= this.#clock.now();
    this.#onChange();
  }

  /** @param durationMs time on the replica; undefined to leave it out of the mean */
  release(slot: ReplicaSlot, waiter: Waiter, durationMs: number | undefined): void {
    slot.inFlight -= 1;
    if (!waiter.isPassive) {
      this.#busy -= 1;
      slot.lastUsedAt = this.#clock.wallMs();
    }
    if (durationMs !== undefined) {
      const mean = this.#meanMs ?? durationMs;
      this.#meanMs = mean + meanWeight * (durationMs - mean);
    }
    slot.settle();
    if (this.#queue.size > 0) this.#serve();
    this.#onChange();
  }

  /** Avoids a replica for a short time after it refused a connection. */
  avoid(slot: ReplicaSlot): void {
    slot.avoidedUntil = this.#clock.now() + avoidMs;
  }

  #hand(slot: ReplicaSlot, waiter: Waiter): void {
    const { conversation } = waiter;
    if (conversation !== undefined) this.#conversations.note(conversation, slot);
    slot.inFlight += 1;
    if (!waiter.isPassive) this.#busy += 1;
    this.#onChange();
  }

  #serve(): void {
    const full = new Set<string | undefined>();
    while (this.#serveNext(full));
    this.#scheduleServing();
  }

  /**
   * Serves the first request whose revision has room, so that one revision never blocks the other.
   *
   * @param full revisions without room; gets further ones
   */
  #serveNext(full: Set<string | undefined>): boolean {
    for (const waiter of this.#queue.keys()) {
      const revision = this.#revisionOf(waiter);
      if (full.has(revision)) continue;
      const slot = this.#choose(waiter, revision);
      if (slot !== undefined) {
        this.#queue.delete(waiter);
        this.#hand(slot, waiter);
        waiter.onGranted(slot);
        return true;
      }
      if (revision === undefined) return false;
      full.add(revision);
    }
    return false;
  }

  /** Returns true if a queued request comes before a new one of the revision. */
  #hasQueued(revision: string | undefined): boolean {
    const isSplit = this.routed.candidate !== undefined;
    if (this.#queue.size === 0 || !isSplit) return this.#queue.size > 0;
    return [...this.#queue.keys()].some((waiter) => this.#revisionOf(waiter) === revision);
  }

  /**
   * Returns the request's revision while traffic is split, or undefined if any revision may take it. The other
   * revision takes it if its own has no open replica, unless it waits for one to start.
   */
  #revisionOf(waiter: Waiter): string | undefined {
    const shared = sharedTraffic(this.routed);
    if (shared === undefined || waiter.isPassive) return undefined;
    const { active, candidate } = shared;
    if (waiter.revision !== active && waiter.revision !== candidate.revision) {
      const { conversation } = waiter;
      const served = conversation && this.#conversations.replicaOf(conversation);
      waiter.revision = this.#shares.draw(waiter, shared, served);
    }
    const own = waiter.revision;
    if (this.#isOpenIn(own, waiter.avoided)) return own;
    const isCandidate = own === candidate.revision;
    const canStart = isCandidate ? candidate.canStart : this.routed.failure === undefined;
    const other = isCandidate ? active : candidate.revision;
    const waits = canStart && !waiter.failsCold && waiter.avoided === undefined;
    return !waits && this.#isOpenIn(other, waiter.avoided) ? other : own;
  }

  /** @param avoided replica that does not count */
  #isOpenIn(revision: string, avoided: ReplicaSlot | undefined): boolean {
    return this.#slots.some(
      (slot) => slot.isOpen && slot.revision === revision && slot !== avoided,
    );
  }

  /** @param revision undefined if any revision may take the request */
  #choose(waiter: Waiter, revision: string | undefined): ReplicaSlot | undefined {
    const now = this.#clock.now();
    const { scale, candidate } = this.routed;
    const hasRoom = (slot: ReplicaSlot) => {
      if (revision !== undefined && slot.revision !== revision) return false;
      const own = slot.revision === candidate?.revision ? candidate : scale;
      return slot.inFlight < slot.limit(own.maxMultiplexing, now, this.#clock);
    };
    const [only] = this.#slots;
    // Builds no lists in the common case.
    if (this.#slots.length === 1 && only !== undefined) return hasRoom(only) ? only : undefined;
    const free = this.#slots.filter(hasRoom);
    const others = free.filter((slot) => slot !== waiter.avoided);
    const candidates = others.length > 0 ? others : free;
    const { affinity, conversation } = waiter;
    if (affinity !== undefined) return chooseByAffinity(candidates, affinity);
    const served = conversation && this.#conversations.replicaOf(conversation);
    const own = candidates.find(({ replica }) => replica === served?.replica);
    return own ?? chooseLeastBusy(candidates);
  }

  /** Serves the queue again once a replica takes more: one that warms up, or one that was avoided. */
  #scheduleServing(): void {
    clearTimeout(this.#timer);
    if (this.#queue.size === 0) return;
    const now = this.#clock.now();
    const wallMs = this.#clock.wallMs();
    const waits = this.#slots.flatMap((slot) => slot.widensInMs(now, wallMs) ?? []);
    if (waits.length === 0) return;
    this.#timer = setTimeout(() => this.#serve(), Math.min(...waits)).unref();
  }

  #estimateSeconds(): number {
    const open = this.#slots.filter((slot) => slot.isOpen).length;
    const places = open * this.routed.scale.maxMultiplexing;
    return estimateWaitSeconds(this.#queue.size, this.#meanMs, places);
  }
}
