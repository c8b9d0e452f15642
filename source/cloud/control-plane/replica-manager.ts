// Lifecycle of replicas: ordered, started, ready, drained, ended.
import { describeError, ProductError } from "../../base/product-error.ts";
import { Changes } from "../changes.ts";
import type { ReplicaExit, ReplicaObservation } from "../engines/engine.ts";
import { cloudErrors } from "../errors.ts";
import type { RevisionKey } from "../state/app-records.ts";
import { isRising, type ReplicaRecord } from "../state/replica-records.ts";
import { Failures } from "./back-off.ts";
import type { ControlContext } from "./control-context.ts";
import { exitOf, ReplicaShutdowns } from "./replica-shutdowns.ts";
import { ReplicaSleep } from "./replica-sleep.ts";
import { planOf, secretsOf } from "./revision-plan.ts";

/** Time that requests of an unhealthy replica get to finish. */
const unhealthyDrainMs = 30_000;

export class ReplicaManager {
  readonly #context: ControlContext;
  readonly #starting = new Map<string, Promise<void>>();
  readonly #shutdowns: ReplicaShutdowns;
  readonly #failures: Failures;
  readonly sleep: ReplicaSleep;
  readonly #changes = new Changes();
  #isClosed = false;

  constructor(context: ControlContext) {
    this.#context = context;
    this.#failures = new Failures(context);
    this.sleep = new ReplicaSleep({ context, onFailure: (replica) => this.kill(replica) });
    this.#shutdowns = new ReplicaShutdowns({
      context,
      whenStarted: async (replica) => await this.#starting.get(replica),
      onEnd: (record, exit, kind) => {
        this.#end(record, exit, kind);
        if (kind === "stopped") this.#failures.noteStopped(record);
      },
    });
  }

  /**
   * Adopts the replicas of an earlier control plane. Starts those that were ordered only, and
   * records missing ones as lost.
   */
  async adopt(): Promise<void> {
    const { engine, store, observations, usedReplicas } = this.#context;
    const known = store.replicas.living();
    await engine.adopt(known.map(({ replica }) => replica));
    for (const each of await engine.observe()) observations.set(each.replica, each);
    this.sleep.adopt();
    for (const { replica, stage } of known) {
      if (stage === "ready" || stage === "started") usedReplicas.add(replica);
    }
    await this.observe();
  }

  /** Asks the engine for the state of all replicas and acts on it. */
  async observe(): Promise<void> {
    const { engine, store, observations } = this.#context;
    // Listed before the engine is asked: its answer may lack replicas started meanwhile.
    const expected = store.replicas.living();
    const seen = new Map((await engine.observe()).map((each) => [each.replica, each]));
    for (const { replica } of expected) {
      const observation = seen.get(replica);
      if (observation === undefined) observations.delete(replica);
      else observations.set(replica, observation);
    }
    for (const { replica } of expected) {
      const record = store.replicas.find(replica);
      if (record !== undefined) this.#stepOrReport(record, seen.get(replica));
    }
    this.#changes.notify();
  }

  /** Records a new replica and starts it. */
  launch(revision: RevisionKey, purpose: ReplicaRecord["purpose"]): ReplicaRecord {
    const record = this.#context.store.replicas.create(revision, purpose);
    this.#start(record);
    return record;
  }

  /** Sends the replica no more requests, and stops it after its last one. */
  drain(replica: string, limitMs?: number): void {
    const record = this.#context.store.replicas.find(replica);
    if (record === undefined || !(isRising(record) || record.stage === "asleep")) return;
    this.#context.store.replicas.update(replica, { stage: "draining" });
    this.#context.publish();
    this.#shutdowns.begin({ ...record, stage: "draining" }, limitMs);
  }

  /** Kills the replica at once; its running requests are cut. */
  kill(replica: string): void {
    const record = this.#context.store.replicas.find(replica);
    if (record === undefined || record.stage === "ended") return;
    this.#context.store.replicas.update(replica, { stage: "stopping" });
    this.#context.publish();
    this.#shutdowns.begin({ ...record, stage: "stopping" });
    this.#shutdowns.kill(replica);
  }

  /**
   * Resolves with the result of `look`, which is called after each change; rejects with its error,
   * or the signal's reason.
   */
  async until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T> {
    return await this.#changes.until(look, signal);
  }

  /** Shuts down all replicas, for `down`; resolves when they are gone. */
  async stopAll(limitMs: number): Promise<void> {
    for (const record of this.#context.store.replicas.living()) this.#shutDown(record, limitMs);
    await this.#shutdowns.settled();
  }

  /** Stops managing replicas; they keep running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const starting = Promise.all([...this.#starting.values()]);
    await Promise.all([starting, this.#shutdowns.close(), this.sleep.close()]);
  }

  /** Works with a full disk too: a replica told to stop must not keep running. */
  #shutDown(record: ReplicaRecord, limitMs: number): void {
    try {
      this.drain(record.replica, limitMs);
    } catch (error) {
      this.#context.recurringErrors.report(`shutdown of ${record.replica}`, error);
      this.#shutdowns.begin({ ...record, stage: "draining" }, limitMs);
    }
  }

  /** A replica whose state cannot be written must not block the others. */
  #stepOrReport(record: ReplicaRecord, observation: ReplicaObservation | undefined): void {
    const { recurringErrors } = this.#context;
    const subject = `replica ${record.replica}`;
    try {
      if (record.stage !== "ended") this.#step(record, observation);
      recurringErrors.resolve(subject);
    } catch (error) {
      recurringErrors.report(subject, error);
    }
  }

  #step(record: ReplicaRecord, observation: ReplicaObservation | undefined): void {
    if (record.stage === "ordered") {
      if (this.#starting.has(record.replica)) return;
      // The engine knows a replica that an earlier control plane started but did not record.
      if (observation === undefined) this.#start(record);
      else this.#context.store.replicas.update(record.replica, { stage: "started" });
      return;
    }
    if (!isRising(record) && record.stage !== "asleep") {
      this.#shutdowns.begin(record);
      return;
    }
    if (observation === undefined) {
      this.#end(record, lost, "lost");
    } else if (observation.phase === "exited") {
      this.#crash(record, observation.exit ?? lost);
    } else if (observation.phase === "unhealthy" && record.stage === "ready") {
      this.#retire(record);
    } else if (observation.phase === "ready" && record.stage === "started") {
      this.#markReady(record, observation);
    } else if (record.stage === "ready") {
      this.#failures.noteServing(record);
    }
  }

  #start(record: ReplicaRecord): void {
    const { replica } = record;
    if (this.#starting.has(replica) || this.#isClosed) return;
    const started = this.#requestStart(record)
      .catch((error: unknown) => this.#handleStartError(record, error))
      .finally(() => {
        this.#starting.delete(replica);
        this.#context.wake();
      });
    this.#starting.set(replica, started);
  }

  async #requestStart(record: ReplicaRecord): Promise<void> {
    const { engine, store } = this.#context;
    const revision = store.revisions.get(record);
    const secrets = secretsOf(store, revision);
    const { isEphemeral: endsWithServer } = store.apps.get(record);
    const plan = planOf(store, revision);
    await engine.startReplica({ replica: record.replica, plan, secrets, endsWithServer });
    // The replica may have been stopped meanwhile.
    const isOrdered = store.replicas.find(record.replica)?.stage === "ordered";
    if (isOrdered) store.replicas.update(record.replica, { stage: "started" });
  }

  #handleStartError(record: ReplicaRecord, error: unknown): void {
    if (this.#isClosed) return;
    const sentence = describeError(error);
    if (error instanceof ProductError && error.code === cloudErrors.noCapacity.code) {
      // No failure of the revision: the next pass checks for room again.
      this.#end(record, exitOf("no_capacity", sentence), "unschedulable");
      return;
    }
    if (!(error instanceof ProductError)) this.#context.log(`${record.replica}: ${sentence}`);
    this.#crash(record, exitOf("spawn_failed", sentence));
  }

  #markReady(record: ReplicaRecord, { readyAt, warnings }: ReplicaObservation): void {
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
      sentence: `Replica ${record.replica} fails its health checks and is being replaced.`,
    });
    this.drain(record.replica, unhealthyDrainMs);
  }

  /** Records that the replica exited by itself. */
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
    this.sleep.forget(replica);
    this.#context.publish();
    engine
      .forget(replica)
      .catch((error: unknown) =>
        log(`${replica} cannot be removed from the engine: ${describeError(error)}`),
      );
    this.#context.wake();
    this.#changes.notify();
  }
}

const lost = exitOf("lost", "Its process is gone.");
