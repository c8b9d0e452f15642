// Moves each replica from state to state: ordered, started, ready, drained, ended.
import { describeError, ProductError } from "../../base/product-error.ts";
import type { ReplicaExit, ReplicaObservation } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";
import type { RevisionKey } from "../state/app-records.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { ControlContext } from "./control-context.ts";
import { Departures, exitOf } from "./departures.ts";
import { Failures } from "./failures.ts";
import { planOf, secretsOf } from "./revision-plan.ts";

/** Requests that an unhealthy replica holds get so long. */
const unhealthyDrainMs = 30_000;

export class ReplicaKeeper {
  readonly #context: ControlContext;
  readonly #starting = new Map<string, Promise<void>>();
  readonly #departures: Departures;
  readonly #failures: Failures;
  readonly #changed = new Set<() => void>();
  #isClosed = false;

  constructor(context: ControlContext) {
    this.#context = context;
    this.#failures = new Failures(context);
    this.#departures = new Departures({
      context,
      whenStarted: async (replica) => await this.#starting.get(replica),
      onEnd: (record, exit, kind) => {
        this.#end(record, exit, kind);
        if (kind === "stopped") this.#failures.noteStopped(record);
      },
    });
  }

  /**
   * After a start: what lives of the replicas that were left is taken up again. Those that were
   * ordered and not begun are begun; those that are gone are told to have been lost.
   */
  async adopt(): Promise<void> {
    const { engine, store, observations, usedReplicas } = this.#context;
    const known = store.replicas.living();
    await engine.adopt(known.map(({ replica }) => replica));
    for (const each of await engine.observe()) observations.set(each.replica, each);
    for (const { replica, stage } of known) {
      if (stage === "ready" || stage === "started") usedReplicas.add(replica);
    }
    await this.observe();
  }

  /** Asks the engine how replicas fare, and draws the consequences. */
  async observe(): Promise<void> {
    const { engine, store, observations } = this.#context;
    // Taken before the engine is asked: what it is told of meanwhile may be missing in its answer.
    const expected = store.replicas.living();
    const seen = new Map((await engine.observe()).map((each) => [each.replica, each]));
    for (const { replica } of expected) {
      const observation = seen.get(replica);
      if (observation === undefined) observations.delete(replica);
      else observations.set(replica, observation);
    }
    for (const { replica } of expected) {
      const record = store.replicas.find(replica);
      if (record !== undefined) this.#stepOrComplain(record, seen.get(replica));
    }
    this.#tell();
  }

  /** Writes a new replica down and has it started. */
  order(revision: RevisionKey, purpose: ReplicaRecord["purpose"]): ReplicaRecord {
    const record = this.#context.store.replicas.create(revision, purpose);
    this.#start(record);
    return record;
  }

  /** No more requests for it; when it holds none any more, it is ended. */
  drain(replica: string, limitMs?: number): void {
    const record = this.#context.store.replicas.find(replica);
    if (record === undefined || isLeaving(record)) return;
    this.#context.store.replicas.update(replica, { stage: "draining" });
    this.#context.publish();
    this.#departures.begin({ ...record, stage: "draining" }, limitMs);
  }

  /** Ends it now; what it answers is cut. */
  kill(replica: string): void {
    const record = this.#context.store.replicas.find(replica);
    if (record === undefined || record.stage === "ended") return;
    this.#context.store.replicas.update(replica, { stage: "stopping" });
    this.#context.publish();
    this.#departures.begin({ ...record, stage: "stopping" });
    this.#departures.hurry(replica);
  }

  /** Resolves with what `look` finds, which is asked after each change; rejects as it, or the signal. */
  async until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    return await new Promise((resolve, reject) => {
      const stop = () => {
        this.#changed.delete(check);
        signal.removeEventListener("abort", refuse);
      };
      const refuse = () => {
        stop();
        reject(signal.reason);
      };
      const check = () => {
        try {
          const found = look();
          if (found === undefined) return;
          stop();
          resolve(found);
        } catch (error) {
          stop();
          reject(error);
        }
      };
      if (signal.aborted) {
        refuse();
        return;
      }
      signal.addEventListener("abort", refuse);
      this.#changed.add(check);
      check();
    });
  }

  /** Ends all replicas, as `down` does. Resolves when they are gone. */
  async stopAll(limitMs: number): Promise<void> {
    for (const record of this.#context.store.replicas.living()) this.#leave(record, limitMs);
    await this.#departures.allGone();
  }

  /** Stops looking after replicas; they live on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const starting = Promise.all([...this.#starting.values()]);
    await Promise.all([starting, this.#departures.close()]);
  }

  /** With a full disk too: what is told to have ended must not run on. */
  #leave(record: ReplicaRecord, limitMs: number): void {
    try {
      this.drain(record.replica, limitMs);
    } catch (error) {
      this.#context.complaints.tell(`the end of ${record.replica}`, error);
      this.#departures.begin({ ...record, stage: "draining" }, limitMs);
    }
  }

  /** One whose state cannot be written must not keep the others waiting. */
  #stepOrComplain(record: ReplicaRecord, observation: ReplicaObservation | undefined): void {
    const { complaints } = this.#context;
    const subject = `replica ${record.replica}`;
    try {
      if (record.stage !== "ended") this.#step(record, observation);
      complaints.end(subject);
    } catch (error) {
      complaints.tell(subject, error);
    }
  }

  #step(record: ReplicaRecord, observation: ReplicaObservation | undefined): void {
    if (record.stage === "ordered") {
      if (this.#starting.has(record.replica)) return;
      // The engine knows one whose start an earlier control plane did not live to note.
      if (observation === undefined) this.#start(record);
      else this.#context.store.replicas.update(record.replica, { stage: "started" });
      return;
    }
    if (isLeaving(record)) {
      this.#departures.begin(record);
      return;
    }
    if (observation === undefined) {
      this.#end(record, lost, "lost");
    } else if (observation.phase === "exited") {
      this.#crash(record, observation.exit ?? lost);
    } else if (observation.phase === "unhealthy" && record.stage === "ready") {
      this.#retire(record);
    } else if (observation.phase === "ready" && record.stage === "started") {
      this.#welcome(record, observation);
    } else if (record.stage === "ready") {
      this.#failures.noteServing(record);
    }
  }

  #start(record: ReplicaRecord): void {
    const { replica } = record;
    if (this.#starting.has(replica) || this.#isClosed) return;
    const started = this.#ask(record)
      .catch((error: unknown) => this.#refused(record, error))
      .finally(() => {
        this.#starting.delete(replica);
        this.#context.wake();
      });
    this.#starting.set(replica, started);
  }

  async #ask(record: ReplicaRecord): Promise<void> {
    const { engine, store } = this.#context;
    const revision = store.revisions.get(record);
    const secrets = secretsOf(store, revision);
    const { isEphemeral: endsWithServer } = store.apps.get(record);
    const plan = planOf(store, revision);
    await engine.startReplica({ replica: record.replica, plan, secrets, endsWithServer });
    // It may have been told to leave meanwhile.
    const isOrdered = store.replicas.find(record.replica)?.stage === "ordered";
    if (isOrdered) store.replicas.update(record.replica, { stage: "started" });
  }

  #refused(record: ReplicaRecord, error: unknown): void {
    if (this.#isClosed) return;
    const sentence = describeError(error);
    if (error instanceof ProductError && error.code === cloudErrors.noCapacity.code) {
      // No failure of the revision: it is asked again whether there is room.
      this.#end(record, exitOf("no_capacity", sentence), "unschedulable");
      return;
    }
    if (!(error instanceof ProductError)) this.#context.log(`${record.replica}: ${sentence}`);
    this.#crash(record, exitOf("spawn_failed", sentence));
  }

  #welcome(record: ReplicaRecord, { readyAt, warnings }: ReplicaObservation): void {
    const { store, clock } = this.#context;
    const at = readyAt ?? clock.wallMs();
    const seconds = ((at - record.createdAt) / 1000).toFixed(1);
    store.database.transaction(() => {
      store.replicas.update(record.replica, { stage: "ready", readyAt: at });
      store.events.add({
        ...record,
        kind: "ready",
        sentence: `Replica ${record.replica} is ready after ${seconds} s${warnings.length > 0 ? ` (${warnings.join(", ")})` : ""}.`,
      });
    });
    this.#context.publish();
  }

  #retire(record: ReplicaRecord): void {
    this.#context.store.events.add({
      ...record,
      kind: "unhealthy",
      sentence: `Replica ${record.replica} fails its health checks; it is replaced.`,
    });
    this.drain(record.replica, unhealthyDrainMs);
  }

  /** It ended by itself. */
  #crash(record: ReplicaRecord, exit: ReplicaExit): void {
    this.#end(record, exit, "crashed");
    if (record.purpose !== "serving") return;
    this.#failures.noteCrash(record, exit);
    this.#context.publish();
  }

  #end(record: ReplicaRecord, exit: ReplicaExit, kind: string): void {
    const { store, clock, engine, log, observations } = this.#context;
    const { replica } = record;
    if (store.replicas.find(replica)?.stage === "ended") return;
    store.database.transaction(() => {
      store.replicas.update(replica, { stage: "ended", endedAt: clock.wallMs(), exit });
      store.events.add({
        ...record,
        kind,
        sentence: `Replica ${replica} ended: ${exit.sentence}`,
      });
    });
    observations.delete(replica);
    this.#context.usedReplicas.delete(replica);
    this.#context.publish();
    engine
      .forget(replica)
      .catch((error: unknown) => log(`${replica} is not forgotten: ${describeError(error)}`));
    this.#context.wake();
    this.#tell();
  }

  #tell(): void {
    for (const check of [...this.#changed]) check();
  }
}

function isLeaving({ stage }: ReplicaRecord): boolean {
  return stage === "draining" || stage === "stopping" || stage === "ended";
}

const lost = exitOf("lost", "Its process was not there any more.");
