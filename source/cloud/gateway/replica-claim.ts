// A request's claim to a replica: taking one, waiting for one, changing it, giving it back.
import type { Clock } from "../../base/clock.ts";
import type { AppTraffic } from "./app-traffic.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { RequestHead } from "./request-head.ts";
import type { Waiter } from "./waiting-queue.ts";
import { refuseAfterWait, refuseWhileCold, type WaitingRules } from "./waiting-rules.ts";

/** How many others may be tried after the first replica has failed. */
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
  /** No replica was ready when the request came. */
  readonly isColdStart: boolean;
  readonly #options: ClaimOptions;
  avoided: ReplicaSlot | undefined;
  /** The replica that holds the request, or held it last. */
  slot: ReplicaSlot | undefined;
  /** Spent waiting, milliseconds. */
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

  /** Whether it has sought a replica and neither has one nor was refused. */
  get isWaiting(): boolean {
    return this.#timer !== undefined && !this.#isHeld && !this.#isOver;
  }

  /** Ends with `onGranted` or `onRefused`, perhaps at once. */
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
   * Seeks another replica, or the same one later.
   *
   * @param isClosed nobody listens there
   * @returns false: too many have failed
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

  /** The replica has answered to the end. */
  finish(): void {
    this.release(this.#options.clock.now() - this.grantedAt);
  }

  /** @param durationMs how long the request took, when it was answered */
  release(durationMs?: number): void {
    if (!this.#isHeld || this.slot === undefined) return;
    this.#isHeld = false;
    this.#options.traffic.release(this.slot, this, durationMs);
  }

  /** Leaves the queue or the replica, for good. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#options.traffic.leave(this);
    this.release();
  }
}
