// How replicas leave: requests first, then the process; servers cut what they answer when they are
// told to end.
import { describeError } from "../../base/product-error.ts";
import type { ReplicaExit } from "../engines/engine.ts";
import type { ReplicaRecord } from "../state/replica-records.ts";
import type { ControlContext } from "./control-context.ts";

interface Leaving {
  /** Cuts the drain short. */
  hurry: AbortController;
  limitMs: number;
  /** Whether the drain is over and its process is being ended. */
  isEnding: boolean;
  done: Promise<void>;
}

export interface DepartureOptions {
  context: ControlContext;
  /** Resolves when the engine is not told of a start any more. */
  whenStarted: (replica: string) => Promise<void>;
  /** The process is gone. */
  onEnd: (record: ReplicaRecord, exit: ReplicaExit, kind: "killed" | "stopped") => void;
}

/** Of replicas whose revision is not known any more. */
const unknownDrainMs = 30_000;

export class Departures {
  readonly #options: DepartureOptions;
  readonly #leaving = new Map<string, Leaving>();
  #isClosed = false;

  constructor(options: DepartureOptions) {
    this.#options = options;
  }

  /**
   * Takes a replica down whose record says that it is to leave; repeated calls change nothing.
   *
   * @param limitMs for its requests; undefined: as its revision says
   */
  begin(record: ReplicaRecord, limitMs?: number): void {
    const { replica } = record;
    if (this.#leaving.has(replica) || this.#isClosed) return;
    const { store, complaints } = this.#options.context;
    const limits = store.revisions.find(record)?.config.limits;
    const leaving: Leaving = {
      hurry: new AbortController(),
      limitMs: limitMs ?? limits?.drainTimeoutMs ?? unknownDrainMs,
      isEnding: false,
      done: Promise.resolve(),
    };
    if (record.stage === "stopping") leaving.hurry.abort();
    this.#leaving.set(replica, leaving);
    leaving.done = this.#takeDown(record, leaving, limits?.terminationGraceMs ?? 0)
      .then(() => complaints.end(`the end of ${replica}`))
      // The next look tries again.
      .catch((error: unknown) => complaints.tell(`the end of ${replica}`, error))
      .finally(() => this.#leaving.delete(replica));
  }

  /** Its record says by now that it is to be killed. */
  hurry(replica: string): void {
    const leaving = this.#leaving.get(replica);
    leaving?.hurry.abort();
    if (!leaving?.isEnding) return;
    const { engine, log } = this.#options.context;
    engine
      .stopReplica(replica, { signal: "kill", graceMs: 0 })
      .catch((error: unknown) => log(`${replica} cannot be killed: ${describeError(error)}`));
  }

  /** Resolves when all that leave are gone. */
  async allGone(): Promise<void> {
    await Promise.all([...this.#leaving.values()].map(({ done }) => done));
  }

  /** Those that still drain live on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { hurry } of this.#leaving.values()) hurry.abort();
    await this.allGone();
  }

  async #takeDown(record: ReplicaRecord, leaving: Leaving, graceMs: number): Promise<void> {
    const { context, whenStarted, onEnd } = this.#options;
    const { engine, store, observations } = context;
    const { replica } = record;
    await whenStarted(replica);
    const isCut = record.readyAt !== undefined && !(await this.#drained(replica, leaving));
    const stage = store.replicas.find(replica)?.stage;
    if (this.#isClosed || stage === "ended") return;
    const isKilled = stage === "stopping";
    const exit = observations.get(replica)?.exit ?? (isKilled ? killed : isCut ? cut : stopped);
    leaving.isEnding = true;
    await engine.stopReplica(replica, { signal: isKilled ? "kill" : "terminate", graceMs });
    onEnd(record, exit, isKilled ? "killed" : "stopped");
  }

  /** @returns false when requests remained at the limit */
  async #drained(replica: string, { hurry, limitMs }: Leaving): Promise<boolean> {
    const signal = AbortSignal.any([hurry.signal, AbortSignal.timeout(limitMs)]);
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

const stopped = exitOf("stopped", "It had no request any more and was stopped.");
const cut = exitOf("stopped", "It was stopped at the drain limit, with requests unfinished.");
const killed = exitOf("killed", "It was killed.");
