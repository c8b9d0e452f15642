// Logs of replicas on a Ray cluster: their fetched output, and lines of the build and the control plane.
import type { Clock } from "../../../base/clock.ts";
import { describeError } from "../../../base/product-error.ts";
import type { LogLine, LogQuery, RevisionPlan } from "../engine.ts";
import { LogStore } from "../logs/log-store.ts";
import type { RayReplica } from "./ray-replica.ts";

export interface ReplicaLogsOptions {
  stateFolder: string;
  clock: Clock;
  /** Returns the replicas that have not exited. */
  living: () => readonly RayReplica[];
  log: (text: string) => void;
}

/** Interval at which the output of ready replicas is fetched while nobody follows it. */
const quietOutputMs = 15_000;
const removeMs = 3_600_000;

export class ReplicaLogs {
  readonly store: LogStore;
  readonly #options: ReplicaLogsOptions;
  readonly #timer: NodeJS.Timeout;
  #followers = 0;
  /** Monotonic time at which the output of all replicas was fetched. */
  #collectedAt = 0;

  constructor(options: ReplicaLogsOptions) {
    this.#options = options;
    this.store = new LogStore(options.stateFolder, options.clock);
    this.#timer = setInterval(() => this.removeOld(), removeMs);
  }

  async *query(query: LogQuery): AsyncGenerator<LogLine> {
    if (query.follow) this.#followers += 1;
    try {
      await this.#collect((replica) => isAsked(replica, query));
      yield* this.store.query(query);
    } finally {
      if (query.follow) this.#followers -= 1;
    }
  }

  /** Fetches the output of replicas that start; of all, now and then or while somebody follows. */
  async collect(): Promise<void> {
    const now = this.#options.clock.now();
    const isDue = now - this.#collectedAt >= quietOutputMs;
    if (isDue) this.#collectedAt = now;
    await this.#collect(({ isStarting }) => isStarting || isDue || this.#followers > 0);
  }

  /** Adds a line. A full disk must not end the control plane. */
  note(
    { organisation, app, revision }: Pick<RevisionPlan, "organisation" | "app" | "revision">,
    replica: "build" | "control",
    text: string,
  ): void {
    try {
      this.store.write({ organisation, app, revision, replica }, text);
    } catch (error) {
      this.#options.log(`cannot log "${text}": ${describeError(error)}`);
    }
  }

  removeOld(): void {
    const { living, log } = this.#options;
    try {
      const files = living().map(({ labels }) => this.store.fileOf(labels));
      this.store.removeOld(new Set(files));
    } catch (error) {
      log(`cannot remove old logs: ${describeError(error)}`);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.store.close();
  }

  async #collect(isWanted: (replica: RayReplica) => boolean): Promise<void> {
    const wanted = this.#options.living().filter(isWanted);
    await Promise.all(wanted.map((replica) => replica.collect(false)));
  }
}

function isAsked(
  { labels }: RayReplica,
  { organisation, app, revision, replica }: LogQuery,
): boolean {
  return (
    labels.organisation === organisation &&
    labels.app === app &&
    (revision ?? labels.revision) === labels.revision &&
    (replica ?? labels.replica) === labels.replica
  );
}
