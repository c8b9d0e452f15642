// Claims of one worker, which take their places in the queues and on the replicas of its leader.
import type { AppTraffic } from "../gateway/app-traffic.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Refusal } from "../gateway/refusals.ts";
import type { ReplicaSlot } from "../gateway/replica-slot.ts";
import type { Waiter } from "../gateway/waiting-queue.ts";
import type { ClaimListener } from "../gateway/worker-traffic.ts";
import type { AdmissionAnswer, AdmissionQuestion } from "./messages.ts";

type ClaimQuestion = Extract<AdmissionQuestion, { kind: "claim" }>;
type AvoidQuestion = Extract<AdmissionQuestion, { kind: "avoid" }>;

export class WorkerClaims {
  readonly #gateway: Pick<Gateway, "find" | "callLimits">;
  readonly #answer: (answer: AdmissionAnswer) => void;
  readonly #claims = new Map<number, WorkerClaim>();

  constructor(
    gateway: Pick<Gateway, "find" | "callLimits">,
    answer: (answer: AdmissionAnswer) => void,
  ) {
    this.#gateway = gateway;
    this.#answer = answer;
  }

  receive(question: AdmissionQuestion): void {
    switch (question.kind) {
      case "claim":
        this.#open(question);
        break;
      case "end":
        this.#claims.get(question.id)?.end(question.durationMs);
        this.#claims.delete(question.id);
        break;
      case "avoid":
        this.#avoid(question);
        break;
      case "want":
        this.#gateway.find(question.organisation, question.app)?.wantReplica();
        break;
      case "count":
        void this.#count(question);
    }
  }

  /** Frees the places of a worker that has died. */
  close(): void {
    for (const claim of this.#claims.values()) claim.end();
    this.#claims.clear();
  }

  async #count({ id, call }: Extract<AdmissionQuestion, { kind: "count" }>): Promise<void> {
    const waitMs = await this.#gateway.callLimits.count(call);
    this.#answer({ kind: "counted", id, waitMs });
  }

  #avoid({ organisation, app, replica }: AvoidQuestion): void {
    const traffic = this.#gateway.find(organisation, app);
    const slot = traffic?.slot(replica);
    if (slot !== undefined) traffic?.avoid(slot);
  }

  #open(question: ClaimQuestion): void {
    const { id, organisation, app } = question;
    const traffic = this.#gateway.find(organisation, app);
    if (traffic === undefined) {
      // A deleted app still finishes its running requests.
      if (question.held !== undefined) return;
      const detail = `The app ${organisation}/${app} does not exist.`;
      this.#answer({ kind: "refused", id, refusal: { type: "app_not_found", detail } });
      return;
    }
    const claim = new WorkerClaim(traffic, question, {
      onGranted: (replica) => this.#answer({ kind: "granted", id, replica }),
      onRefused: (refusal) => {
        this.#claims.delete(id);
        this.#answer({ kind: "refused", id, refusal });
      },
    });
    this.#claims.set(id, claim);
    claim.begin();
  }
}

/** Request of a worker in the queue of an app, or on a replica. */
class WorkerClaim implements Waiter {
  readonly affinity: string | undefined;
  readonly isPassive: boolean;
  readonly avoided: ReplicaSlot | undefined;
  readonly #traffic: AppTraffic;
  readonly #held: string | undefined;
  readonly #listener: ClaimListener;
  #slot: ReplicaSlot | undefined;

  constructor(
    traffic: AppTraffic,
    { affinity, isPassive, avoided, held }: ClaimQuestion,
    listener: ClaimListener,
  ) {
    this.affinity = affinity;
    this.isPassive = isPassive;
    this.avoided = avoided === undefined ? undefined : traffic.slot(avoided);
    this.#traffic = traffic;
    this.#held = held;
    this.#listener = listener;
  }

  begin(): void {
    if (this.#held !== undefined) {
      this.#slot = this.#traffic.takeAgain(this, this.#held);
      return;
    }
    const slot = this.#traffic.take(this);
    if (slot !== undefined) {
      this.onGranted(slot);
      return;
    }
    const refusal = this.#traffic.enqueue(this);
    if (refusal !== undefined) this.onRefused(refusal);
  }

  onGranted(slot: ReplicaSlot): void {
    this.#slot = slot;
    this.#listener.onGranted(slot.replica);
  }

  onRefused(refusal: Refusal): void {
    this.#listener.onRefused(refusal);
  }

  end(durationMs?: number): void {
    if (this.#slot === undefined) this.#traffic.leave(this);
    else this.#traffic.release(this.#slot, this, durationMs);
    this.#slot = undefined;
  }
}
