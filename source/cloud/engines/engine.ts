// The seam between the control plane and whatever runs replicas: local processes, or Ray.
import type { AppConfig } from "../app-config.ts";

/** A revision as an engine needs it. */
export interface RevisionPlan {
  organisation: string;
  app: string;
  /** Such as `r0007-1a2b3c4d`. */
  revision: string;
  /** Folder with the frozen copy of the script and its files; never written. */
  bundleFolder: string;
  /** The script inside the bundle, and the object in it: `serve`. */
  script: string;
  target: string;
  config: AppConfig;
}

export interface ReplicaRequest {
  /** Drawn by the control plane and stored before this call: asking twice starts one. */
  replica: string;
  plan: RevisionPlan;
  /** The values of `config.secretNames`. */
  secrets: Record<string, string>;
  /** Ends it with the control plane, however that ends; otherwise the next one adopts it. */
  endsWithServer?: boolean;
}

/** What an engine can tell of a replica; the control plane makes its states of these. */
export type ReplicaPhase =
  /** Its environment or its place is being made. */
  | "preparing"
  /** Its process lives and does not answer yet. */
  | "setup"
  | "ready"
  /** It was ready and fails its health checks. */
  | "unhealthy"
  /** Its process is gone. */
  | "exited";

export interface ReplicaExit {
  code: number | undefined;
  signal: string | undefined;
  /**
   * Stable: `exited`, `returned`, `out_of_memory`, `port_conflict`, `missing_executable`,
   * `import_error`, `startup_timeout`, `killed` (by somebody), `stopped` (by `stopReplica`), `lost`
   * (while no control plane looked), `spawn_failed`, and those of runner.py: `usage`,
   * `syntax_error`, `script_missing`, `target_missing`, `script_error`, `exception`.
   */
  reason: string;
  /** One sentence for a person. */
  sentence: string;
  /** The last lines of its log, oldest first. */
  tail: string[];
}

export interface ReplicaObservation {
  replica: string;
  revision: string;
  phase: ReplicaPhase;
  /** Where it listens, from "ready" on: `http://127.0.0.1:23817`. */
  endpoint: string | undefined;
  processId: number | undefined;
  /** Such as "loading shards 3/4", while it starts. */
  progress: string | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  readyAt: number | undefined;
  /** What its start took, in milliseconds by phase, once it is ready: `import`, `download`, `load`, … */
  startPhasesMs?: Readonly<Record<string, number>> | undefined;
  exit: ReplicaExit | undefined;
  /** Such as `port_not_remapped`. */
  warnings: string[];
  gpus: string[];
}

export interface Capacity {
  /** Whether one more replica fits; otherwise why not, as a sentence. */
  fits: boolean;
  reason: string | undefined;
  /** How many more would fit, at most. */
  replicas: number;
  /** False when no waiting helps: this machine has no such GPU, whoever else may leave. */
  canEverFit: boolean;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  ts: number;
  organisation: string;
  app: string;
  revision: string;
  /** "build" for lines of the revision's making, "control" for the control plane's own. */
  replica: string;
  stream: "stdout" | "stderr" | "event";
  /** Grows within a replica. */
  seq: number;
  text: string;
}

export interface LogQuery {
  organisation: string;
  app: string;
  revision?: string | undefined;
  replica?: string | undefined;
  sinceMs?: number | undefined;
  search?: string | undefined;
  /** The last so many lines; undefined: all. */
  lines?: number | undefined;
  follow: boolean;
  signal?: AbortSignal | undefined;
  /** Where an earlier reader stopped: `revision/replica` to the `seq` of the last line it has seen. */
  after?: ReadonlyMap<string, number> | undefined;
}

/** All calls may be repeated; what is done already is not done again. */
export interface Engine {
  readonly kind: "process" | "ray";
  readonly abilities: {
    perReplicaRouting: boolean;
    adoptable: boolean;
    gpu: "pool" | "scheduler";
  };
  /**
   * Makes what every replica of the revision needs: an environment, uploads, checks of executables.
   * Throws ProductError with the sentence to show (exit code 6).
   */
  prepare(plan: RevisionPlan, log: (text: string) => void, signal: AbortSignal): Promise<void>;
  /** @returns once the replica is recorded; how it fares is told by `observe` */
  startReplica(request: ReplicaRequest): Promise<void>;
  /** The caller has drained it. Resolves when its whole process group is gone. */
  stopReplica(
    replica: string,
    how: { signal: "terminate" | "kill"; graceMs: number },
  ): Promise<void>;
  observe(): Promise<ReplicaObservation[]>;
  /** Something changed: `observe` is worth calling. @returns stops it */
  onChange(listener: () => void): () => void;
  /**
   * Takes up replicas of an earlier control plane that still live, ends those that nobody knows.
   * @param known replicas of the store
   */
  adopt(known: readonly string[]): Promise<void>;
  /** Forgets an exited replica and what was reserved for it. */
  forget(replica: string): Promise<void>;
  capacity(plan: RevisionPlan): Promise<Capacity>;
  /** Lines by time; within a replica by `seq`. Following ends with `query.signal` or `close`. */
  logs(query: LogQuery): AsyncIterable<LogLine>;
  /** Adds a line of the control plane's own to a revision's log, as replica "control". */
  record(of: Pick<RevisionPlan, "organisation" | "app" | "revision">, text: string): void;
  /** Removes what was made for a revision that has no replica any more. */
  destroy(plan: RevisionPlan): Promise<void>;
  /** Stops watching; replicas live on. */
  close(): Promise<void>;
}
