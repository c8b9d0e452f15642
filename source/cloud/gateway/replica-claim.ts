// Replica of one request: acquiring it, waiting for it, switching to another, releasing it.
import type { Clock } from "../../base/clock.ts";
import type { AdmittedRequest } from "./admitted-request.ts";
import type { Conversation } from "./conversations.ts";
import { type ExchangeRecord, openRecord } from "./exchange-record.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { HeadFacts } from "./reply-head.ts";
import type { Waiter } from "./waiting-queue.ts";
import { refuseAfterWait, refuseWhileCold } from "./waiting-rules.ts";

/** Maximum number of other replicas tried after the first one failed. */
const furtherReplicas = 2;

export interface ClaimListener {
  onGranted(slot: ReplicaSlot): void;
  onRefused(refusal: Refusal): void;
}

export class ReplicaClaim implements Waiter {
  readonly affinity: string | undefined;
  conversation: Conversation | undefined;
  readonly isPassive: boolean;
  readonly failsCold: boolean;
  revision: string | undefined;
  /** True if no replica was ready when the request arrived. */
  isColdStart: boolean;
  readonly #admitted: AdmittedRequest;
  readonly #clock: Clock;
  readonly #listener: ClaimListener;
  avoided: ReplicaSlot | undefined;
  /** Current or last replica of the request. */
  slot: ReplicaSlot | undefined;
  /** Milliseconds spent waiting. */
  queueMs = 0;
  /** Monotonic. */
  grantedAt = 0;
  #isHeld = false;
  #isOver = false;
  #failures = 0;
  #soughtAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(admitted: AdmittedRequest, clock: Clock, listener: ClaimListener) {
    this.#admitted = admitted;
    this.#clock = clock;
    this.#listener = listener;
    this.affinity = admitted.head.affinity;
    this.isPassive = admitted.rules.isPassive;
    this.failsCold = admitted.rules.failsCold;
    this.isColdStart = !admitted.traffic.isOpen;
    this.#soughtAt = admitted.arrivedAt;
  }

  /** True while the request is queued. */
  get isWaiting(): boolean {
    return this.#timer !== undefined && !this.#isHeld && !this.#isOver;
  }

  /** Acquires a replica; calls `onGranted` or `onRefused`, possibly at once. */
  seek(): void {
    if (this.#isOver) return;
    const { traffic, rules } = this.#admitted;
    const slot = traffic.take(this);
    if (slot !== undefined) {
      this.onGranted(slot);
      return;
    }
    const isOpen = traffic.isOpenFor(this);
    this.isColdStart ||= !isOpen;
    const cold = isOpen ? undefined : refuseWhileCold(rules);
    if (cold?.type === "starting") traffic.wantReplica();
    const refusal = cold ?? traffic.enqueue(this);
    if (refusal !== undefined) {
      this.onRefused(refusal);
      return;
    }
    this.#timer = setTimeout(() => {
      this.onRefused(refuseAfterWait(rules, traffic.wasOpenSince(this.#soughtAt)));
    }, rules.timeoutMs);
  }

  onGranted(slot: ReplicaSlot): void {
    clearTimeout(this.#timer);
    this.grantedAt = this.#clock.now();
    this.queueMs += this.grantedAt - this.#soughtAt;
    this.slot = slot;
    this.#isHeld = true;
    this.#listener.onGranted(slot);
  }

  onRefused(refusal: Refusal): void {
    this.#listener.onRefused(refusal);
  }

  /** Facts for the head of a reply that arrives now. */
  facts(): HeadFacts {
    return {
      requestId: this.#admitted.id,
      replica: this.slot?.replica ?? "",
      revision: this.slot?.revision ?? "",
      queueMs: this.queueMs,
      replicaMs: this.#clock.now() - this.grantedAt,
      isColdStart: this.isColdStart,
    };
  }

  /** Record of the request, which ends now. */
  record(): ExchangeRecord {
    return {
      ...openRecord(this.#admitted, this.#clock),
      revision: this.slot?.revision ?? this.revision,
      replica: this.slot?.replica,
      isColdStart: this.isColdStart,
      queueMs: this.queueMs,
    };
  }

  /**
   * Switches to another replica, or to the same one later.
   *
   * @param isClosed true if the replica refused the connection or is gone
   * @returns false if too many replicas failed
   */
  changeReplica(isClosed: boolean): boolean {
    const { slot } = this;
    if (slot === undefined) return false;
    if (isClosed) this.#admitted.traffic.avoid(slot);
    this.avoided = slot;
    this.release();
    this.#failures += 1;
    if (this.#failures > furtherReplicas) return false;
    this.#soughtAt = this.#clock.now();
    this.seek();
    return true;
  }

  /** Releases the replica after a complete response. */
  finish(): void {
    this.release(this.#clock.now() - this.grantedAt);
  }

  /** @param durationMs duration of a complete request */
  release(durationMs?: number): void {
    if (!this.#isHeld || this.slot === undefined) return;
    this.#isHeld = false;
    this.#admitted.traffic.release(this.slot, this, durationMs);
  }

  /** Leaves the queue and the replica; the claim is then over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#admitted.traffic.leave(this);
    this.release();
  }
}
