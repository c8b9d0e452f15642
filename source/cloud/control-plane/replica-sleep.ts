// Sleep and waking of replicas. A sleeping replica gets no requests, keeps its process, and is woken by the
// next request instead of starting another one.
import { describeError } from "../../base/product-error.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { ControlContext } from "./control-context.ts";
import { findSleep, type SleepingServer } from "./server-sleep.ts";

export interface SleepOptions {
  context: ControlContext;
  /** Ends a replica that does not sleep or wake as it should. */
  onFailure: (replica: string) => void;
}

const probeLimitMs = 5_000;
/** Limit for requests that were under way when the replica was closed. */
const drainLimitMs = 5_000;
const sleepLimitMs = 120_000;

export class ReplicaSleep {
  readonly #options: SleepOptions;
  readonly #closing = new AbortController();
  /** Work in progress, by replica. */
  readonly #work = new Map<string, Promise<void>>();
  /** Revisions whose servers cannot sleep. */
  readonly #sleepless = new Set<string>();
  /** Milliseconds since 1970 of the last waking, and its duration. */
  readonly #woken = new Map<string, { at: number; ms: number }>();

  constructor(options: SleepOptions) {
    this.#options = options;
  }

  /** True unless a server of the revision was found to be unable to sleep. */
  canSleep(of: Pick<ReplicaRecord, "organisation" | "app" | "revision">): boolean {
    return !this.#sleepless.has(revisionName(of));
  }

  /** @returns undefined for a replica that was not woken since it, or the control plane, started */
  wokenOf(replica: string): { at: number; ms: number } | undefined {
    return this.#woken.get(replica);
  }

  forget(replica: string): void {
    this.#woken.delete(replica);
  }

  /** Puts a ready replica to sleep, if its server can; repeated calls change nothing. */
  sleep(record: ReplicaRecord): void {
    this.#run(record, async (signal) => await this.#sleep(record, signal));
  }

  /** Wakes a sleeping replica; repeated calls change nothing. */
  wake(record: ReplicaRecord): void {
    const { store, publish } = this.#options.context;
    if (store.replicas.find(record.replica)?.stage !== "asleep") return;
    store.replicas.update(record.replica, { stage: "waking" });
    publish();
    // It may still be falling asleep.
    const before = this.#work.get(record.replica) ?? Promise.resolve();
    this.#work.delete(record.replica);
    this.#run(record, async (signal) => {
      await before;
      await this.#wake(record, signal);
    });
  }

  /** A control plane that ended while it woke replicas leaves them to the next request. */
  adopt(): void {
    const { store } = this.#options.context;
    for (const { replica, stage } of store.replicas.living()) {
      if (stage === "waking") store.replicas.update(replica, { stage: "asleep" });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#work.values());
  }

  #run({ replica }: ReplicaRecord, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#work.has(replica) || this.#closing.signal.aborted) return;
    const { recurringErrors, wake } = this.#options.context;
    const done = work(this.#closing.signal)
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) recurringErrors.report(`sleep of ${replica}`, error);
      })
      .finally(() => {
        if (this.#work.get(replica) === done) this.#work.delete(replica);
        wake();
      });
    this.#work.set(replica, done);
  }

  async #sleep(record: ReplicaRecord, signal: AbortSignal): Promise<void> {
    const { store, traffic, publish } = this.#options.context;
    const { replica } = record;
    const server = await this.#serverOf(record, signal);
    if (typeof server === "string") {
      this.#sleepless.add(revisionName(record));
      this.#addEvent(
        record,
        "sleepless",
        `Replicas of ${record.revision} cannot sleep: ${server}. They stop after keep_alive.`,
      );
      return;
    }
    if (!this.#isAt(replica, "ready") || traffic.inFlight(replica) > 0) return;
    store.replicas.update(replica, { stage: "asleep" });
    publish();
    try {
      await traffic.drained(replica, AbortSignal.any([signal, AbortSignal.timeout(drainLimitMs)]));
      await server.sleep(AbortSignal.any([signal, AbortSignal.timeout(sleepLimitMs)]));
    } catch (error) {
      if (signal.aborted) return;
      this.#fail(record, `did not fall asleep: ${describeError(error)}`);
      return;
    }
    const sentence = `Replica ${replica} sleeps (${server.name}).`;
    if (this.#isAt(replica, "asleep")) this.#addEvent(record, "asleep", sentence);
  }

  async #wake(record: ReplicaRecord, signal: AbortSignal): Promise<void> {
    const { store, clock, publish } = this.#options.context;
    const { replica } = record;
    if (!this.#isAt(replica, "waking")) return;
    const begun = clock.now();
    const { startupTimeoutMs } = store.revisions.get(record).config.limits;
    try {
      const server = await this.#serverOf(record, signal);
      if (typeof server === "string") throw new Error(server);
      const limit = AbortSignal.timeout(Math.min(startupTimeoutMs, server.wakeLimitMs));
      await server.wake(AbortSignal.any([signal, limit]));
    } catch (error) {
      if (signal.aborted) return;
      const reason = describeError(error).replace(/[.]$/, "");
      this.#fail(record, `did not wake: ${reason}. It is stopped, and another one started`);
      return;
    }
    if (!this.#isAt(replica, "waking")) return;
    const ms = Math.round(clock.now() - begun);
    this.#woken.set(replica, { at: clock.wallMs(), ms });
    store.replicas.update(replica, { stage: "ready" });
    this.#addEvent(record, "woke", `Replica ${replica} woke after ${(ms / 1000).toFixed(1)} s.`);
    publish();
  }

  async #serverOf(record: ReplicaRecord, signal: AbortSignal): Promise<SleepingServer | string> {
    const { store, observations } = this.#options.context;
    const endpoint = observations.get(record.replica)?.endpoint;
    if (endpoint === undefined) return "its address is unknown";
    const model = store.revisions.find(record)?.config.model;
    const within = AbortSignal.any([signal, AbortSignal.timeout(probeLimitMs)]);
    return await findSleep(endpoint, model, within);
  }

  #isAt(replica: string, stage: ReplicaRecord["stage"]): boolean {
    return this.#options.context.store.replicas.find(replica)?.stage === stage;
  }

  #fail(record: ReplicaRecord, what: string): void {
    this.#addEvent(record, "sleep_failed", `Replica ${record.replica} ${what}.`);
    this.#options.onFailure(record.replica);
  }

  #addEvent(record: ReplicaRecord, kind: string, sentence: string): void {
    const { organisation, app, revision, replica } = record;
    this.#options.context.store.events.add({
      organisation,
      app,
      revision,
      replica,
      kind,
      sentence,
    });
  }
}

function revisionName({
  organisation,
  app,
  revision,
}: Pick<ReplicaRecord, "organisation" | "app" | "revision">): string {
  return `${organisation}/${app}/${revision}`;
}
