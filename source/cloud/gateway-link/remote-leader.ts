// Leader as its workers see it: asked over their connection, and asked again after it has restarted.
import type { CountedCall } from "../gateway/call-limits.ts";
import type { Claim, ClaimListener, Leader } from "../gateway/worker-traffic.ts";
import type { AdmissionAnswer, AdmissionQuestion } from "./messages.ts";

interface OpenClaim {
  claim: Claim;
  listener: ClaimListener;
  /** Replica that the leader gave; undefined while it has none. */
  held: string | undefined;
}

interface OpenCount {
  call: CountedCall;
  onCounted: (waitMs: number) => void;
}

export class RemoteLeader implements Leader {
  readonly #send: (question: AdmissionQuestion) => void;
  readonly #claims = new Map<number, OpenClaim>();
  readonly #counts = new Map<number, OpenCount>();
  #lastId = 0;

  /** @param send drops questions while no leader is connected; `repeat` sends those that matter then */
  constructor(send: (question: AdmissionQuestion) => void) {
    this.#send = send;
  }

  claim(claim: Claim, listener: ClaimListener): (durationMs?: number) => void {
    this.#lastId += 1;
    const id = this.#lastId;
    this.#claims.set(id, { claim, listener, held: undefined });
    this.#send({ kind: "claim", id, ...claim });
    return (durationMs) => {
      if (this.#claims.delete(id)) this.#send({ kind: "end", id, durationMs });
    };
  }

  avoid({ organisation, app }: Pick<Claim, "organisation" | "app">, replica: string): void {
    this.#send({ kind: "avoid", organisation, app, replica });
  }

  wantReplica({ organisation, app }: Pick<Claim, "organisation" | "app">): void {
    this.#send({ kind: "want", organisation, app });
  }

  async count(call: CountedCall): Promise<number> {
    this.#lastId += 1;
    const id = this.#lastId;
    return await new Promise((onCounted) => {
      this.#counts.set(id, { call, onCounted });
      this.#send({ kind: "count", id, call });
    });
  }

  /** Tells a new leader which places are taken, and asks again what the last one did not answer. */
  repeat(): void {
    // Taken places first, so that nobody else gets them.
    const claims = [...this.#claims].sort(([, one], [, other]) => rank(one) - rank(other));
    for (const [id, { claim, held }] of claims) this.#send({ kind: "claim", id, held, ...claim });
    for (const [id, { call }] of this.#counts) this.#send({ kind: "count", id, call });
  }

  receive(answer: AdmissionAnswer): void {
    if (answer.kind === "counted") {
      const count = this.#counts.get(answer.id);
      this.#counts.delete(answer.id);
      count?.onCounted(answer.waitMs);
      return;
    }
    // The request of an unknown claim has ended meanwhile, and the leader learns it.
    const open = this.#claims.get(answer.id);
    if (open === undefined) return;
    if (answer.kind === "granted") {
      open.held = answer.replica;
      open.listener.onGranted(answer.replica);
    } else {
      this.#claims.delete(answer.id);
      open.listener.onRefused(answer.refusal);
    }
  }
}

function rank({ held }: OpenClaim): number {
  return held === undefined ? 1 : 0;
}
