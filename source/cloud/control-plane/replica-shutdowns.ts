// Shutdown of replicas: drain requests first, then stop the process, as servers cut running
// requests when they are told to stop.
import { describeError } from "../../base/product-error.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { ControlContext } from "./control-context.ts";

interface Shutdown {
  /** Cuts the drain short. */
  cutShort: AbortController;
  limitMs: number;
  /** True once the drain is over and the process is being stopped. */
  isEnding: boolean;
  done: Promise<void>;
}

export interface ShutdownOptions {
  context: ControlContext;
  /** Resolves when no start of the replica is in progress at the engine. */
  whenStarted: (replica: string) => Promise<void>;
  /** Called when the process is gone. */
  onEnd: (record: ReplicaRecord, exit: ReplicaExit, kind: "killed" | "stopped") => void;
}

/** Drain limit of replicas whose revision is unknown. */
const unknownDrainMs = 30_000;

export class ReplicaShutdowns {
  readonly #options: ShutdownOptions;
  readonly #running = new Map<string, Shutdown>();
  #isClosed = false;

  constructor(options: ShutdownOptions) {
    this.#options = options;
  }

  /**
   * Shuts down a replica whose record is marked for it; repeated calls change nothing.
   *
   * @param limitMs for its requests; defaults to the revision's drain timeout
   */
  begin(record: ReplicaRecord, limitMs?: number): void {
    const { replica } = record;
    if (this.#running.has(replica) || this.#isClosed) return;
    const { store, recurringErrors } = this.#options.context;
    const limits = store.revisions.find(record)?.config.limits;
    const shutdown: Shutdown = {
      cutShort: new AbortController(),
      limitMs: limitMs ?? limits?.drainTimeoutMs ?? unknownDrainMs,
      isEnding: false,
      done: Promise.resolve(),
    };
    if (record.stage === "stopping") shutdown.cutShort.abort();
    this.#running.set(replica, shutdown);
    shutdown.done = this.#run(record, shutdown, limits?.terminationGraceMs ?? 0)
      .then(() => recurringErrors.resolve(`shutdown of ${replica}`))
      // The next reconciliation retries.
      .catch((error: unknown) => recurringErrors.report(`shutdown of ${replica}`, error))
      .finally(() => this.#running.delete(replica));
  }

  /** Kills a replica whose record is already marked for it. */
  kill(replica: string): void {
    const shutdown = this.#running.get(replica);
    shutdown?.cutShort.abort();
    if (!shutdown?.isEnding) return;
    const { engine, log } = this.#options.context;
    engine
      .stopReplica(replica, { signal: "kill", graceMs: 0 })
      .catch((error: unknown) => log(`cannot kill ${replica}: ${describeError(error)}`));
  }

  /** Resolves when all shutdowns are over. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Stops waiting; replicas that are still draining keep running. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cutShort } of this.#running.values()) cutShort.abort();
    await this.settled();
  }

  async #run(record: ReplicaRecord, shutdown: Shutdown, graceMs: number): Promise<void> {
    const { context, whenStarted, onEnd } = this.#options;
    const { engine, store, observations } = context;
    const { replica } = record;
    await whenStarted(replica);
    const isCut = record.readyAt !== undefined && !(await this.#drained(replica, shutdown));
    const stage = store.replicas.find(replica)?.stage;
    if (this.#isClosed || stage === "ended") return;
    const isKilled = stage === "stopping";
    const exit = observations.get(replica)?.exit ?? (isKilled ? killed : isCut ? cut : stopped);
    shutdown.isEnding = true;
    await engine.stopReplica(replica, { signal: isKilled ? "kill" : "terminate", graceMs });
    onEnd(record, exit, isKilled ? "killed" : "stopped");
  }

  /** @returns false when requests remained at the limit */
  async #drained(replica: string, { cutShort, limitMs }: Shutdown): Promise<boolean> {
    const signal = AbortSignal.any([cutShort.signal, AbortSignal.timeout(limitMs)]);
    if (signal.aborted) return false;
    try {
      await this.#options.context.traffic.drained(replica, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }
}

export function exitOf(reason: string, sentence: string): ReplicaExit {
  return { code: undefined, signal: undefined, reason, sentence, tail: [] };
}

const stopped = exitOf("stopped", "It was stopped after its last request.");
const cut = exitOf("stopped", "It was stopped at the drain timeout with unfinished requests.");
const killed = exitOf("killed", "It was killed.");
