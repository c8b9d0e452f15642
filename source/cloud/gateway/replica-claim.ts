// Replica of one request: acquiring it, waiting for it, switching to another, releasing it.
import type { Clock } from "../../base/clock.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { RequestHead } from "./request-head.ts";
import type { Waiter } from "./waiting-queue.ts";
import { refuseAfterWait, refuseWhileCold, type WaitingRules } from "./waiting-rules.ts";

/** Maximum number of other replicas tried after the first one failed. */
const furtherReplicas = 2;

export interface ClaimOptions {
  traffic: AppTraffic;
  rules: WaitingRules;
  head: Pick<RequestHead, "affinity">;
  /** Monotonic. */
  arrivedAt: number;
  clock: Clock;
  onGranted: (slot: ReplicaSlot) => void;
  onRefused: (refusal: Refusal) => void;
}

export class ReplicaClaim implements Waiter {
  readonly affinity: string | undefined;
  readonly isPassive: boolean;
  /** True if no replica was ready when the request arrived. */
  readonly isColdStart: boolean;
  readonly #options: ClaimOptions;
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

  constructor(options: ClaimOptions) {
    this.#options = options;
    this.affinity = options.head.affinity;
    this.isPassive = options.rules.isPassive;
    this.isColdStart = !options.traffic.isOpen;
    this.#soughtAt = options.arrivedAt;
  }

  /** True while the request is queued. */
  get isWaiting(): boolean {
    return this.#timer !== undefined && !this.#isHeld && !this.#isOver;
  }

  /** Acquires a replica; calls `onGranted` or `onRefused`, possibly at once. */
  seek(): void {
    if (this.#isOver) return;
    const { traffic, rules, onRefused } = this.#options;
    const slot = traffic.take(this);
    if (slot !== undefined) {
      this.onGranted(slot);
      return;
    }
    const cold = traffic.isOpen ? undefined : refuseWhileCold(rules);
    if (cold?.type === "starting") traffic.wantReplica();
    const refusal = cold ?? traffic.enqueue(this);
    if (refusal !== undefined) {
      onRefused(refusal);
      return;
    }
    this.#timer = setTimeout(() => {
      onRefused(refuseAfterWait(rules, traffic.wasOpenSince(this.#soughtAt)));
    }, rules.timeoutMs);
  }

  onGranted(slot: ReplicaSlot): void {
    clearTimeout(this.#timer);
    this.grantedAt = this.#options.clock.now();
    this.queueMs += this.grantedAt - this.#soughtAt;
    this.slot = slot;
    this.#isHeld = true;
    this.#options.onGranted(slot);
  }

  onRefused(refusal: Refusal): void {
    this.#options.onRefused(refusal);
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
    if (isClosed) this.#options.traffic.avoid(slot);
    this.avoided = slot;
    this.release();
    this.#failures += 1;
    if (this.#failures > furtherReplicas) return false;
    this.#soughtAt = this.#options.clock.now();
    this.seek();
    return true;
  }

  /** Releases the replica after a complete response. */
  finish(): void {
    this.release(this.#options.clock.now() - this.grantedAt);
  }

  /** @param durationMs duration of a complete request */
  release(durationMs?: number): void {
    if (!this.#isHeld || this.slot === undefined) return;
    this.#isHeld = false;
    this.#options.traffic.release(this.slot, this, durationMs);
  }

  /** Leaves the queue and the replica; the claim is then over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.traffic.leave(this);
    this.release();
  }
}
