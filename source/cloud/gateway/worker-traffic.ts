// Requests of one app in a gateway that another one leads: the leader's queue and limits hold for them.
import type { Clock } from "../../base/clock.ts";
import { AppTraffic } from "./app-traffic.ts";
import type { CallLimits } from "./call-limits.ts";
import type { Refusal } from "./refusals.ts";
import type { ReplicaSlot } from "./replica-slot.ts";
import type { RoutedApp } from "./traffic.ts";
import type { Waiter } from "./waiting-queue.ts";

/** Request that wants a place on a replica. */
export interface Claim {
  organisation: string;
  app: string;
  affinity: string | undefined;
  isPassive: boolean;
  /** Replica that failed the request. */
  avoided: string | undefined;
}

export interface ClaimListener {
  onGranted(replica: string): void;
  onRefused(refusal: Refusal): void;
}

/** Gateway that admits the requests of others. */
export interface Leader extends CallLimits {
  /** @returns ends the claim and frees its place; the time on the replica counts for estimates */
  claim(claim: Claim, listener: ClaimListener): (durationMs?: number) => void;
  /** Avoids a replica that refused a connection. */
  avoid(claim: Pick<Claim, "organisation" | "app">, replica: string): void;
  /** Counts as demand until a replica is open. */
  wantReplica(claim: Pick<Claim, "organisation" | "app">): void;
}

export class WorkerTraffic extends AppTraffic {
  readonly #leader: Leader;
  readonly #ends = new Map<Waiter, (durationMs?: number) => void>();

  constructor(routed: RoutedApp, clock: Clock, onChange: () => void, leader: Leader) {
    super(routed, clock, onChange);
    this.#leader = leader;
  }

  /** The leader refuses its own and those of its workers. */
  override refuseAll(): void {}

  override take(): undefined {}

  override enqueue(waiter: Waiter): undefined {
    const { organisation, app } = this.routed;
    const { affinity, isPassive, avoided } = waiter;
    const claim = { organisation, app, affinity, isPassive, avoided: avoided?.replica };
    const end = this.#leader.claim(claim, {
      onGranted: (replica) => this.#grant(waiter, replica),
      onRefused: (refusal) => {
        this.#ends.delete(waiter);
        waiter.onRefused(refusal);
      },
    });
    this.#ends.set(waiter, end);
  }

  override leave(waiter: Waiter): void {
    this.#end(waiter);
  }

  override wantReplica(): void {
    this.#leader.wantReplica(this.routed);
  }

  override release(slot: ReplicaSlot, waiter: Waiter, durationMs: number | undefined): void {
    slot.inFlight -= 1;
    slot.settle();
    this.#end(waiter, durationMs);
  }

  override avoid(slot: ReplicaSlot): void {
    this.#leader.avoid(this.routed, slot.replica);
  }

  #grant(waiter: Waiter, replica: string): void {
    const slot = this.slot(replica);
    if (slot === undefined) {
      // It has just left the table.
      this.#end(waiter);
      this.enqueue(waiter);
      return;
    }
    slot.inFlight += 1;
    waiter.onGranted(slot);
  }

  #end(waiter: Waiter, durationMs?: number): void {
    const end = this.#ends.get(waiter);
    this.#ends.delete(waiter);
    end?.(durationMs);
  }
}
