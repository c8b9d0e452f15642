// Output of replicas on a Ray cluster, fetched for their logs when somebody needs it.
import type { Clock } from "../../../base/clock.ts";
import type { LogLine, LogQuery } from "../engine.ts";
import type { LogStore } from "../logs/log-store.ts";
import type { RayReplica } from "./ray-replica.ts";

export interface ReplicaLogsOptions {
  store: LogStore;
  clock: Clock;
  /** Returns the replicas that have not exited. */
  living: () => readonly RayReplica[];
}

/** Interval at which the output of ready replicas is fetched while nobody follows it. */
const quietOutputMs = 15_000;

export class ReplicaLogs {
  readonly #options: ReplicaLogsOptions;
  #followers = 0;
  /** Monotonic time at which the output of all replicas was fetched. */
  #collectedAt = 0;

  constructor(options: ReplicaLogsOptions) {
    this.#options = options;
  }

  async *query(query: LogQuery): AsyncGenerator<LogLine> {
    if (query.follow) this.#followers += 1;
    try {
      await this.#collect((replica) => isAsked(replica, query));
      yield* this.#options.store.query(query);
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
