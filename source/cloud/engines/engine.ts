// Interface between the control plane and the engine that runs replicas: local processes, or Ray.
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { AppConfig } from "../app-config.ts";
import type { EngineWarning } from "./engine-warnings.ts";

/** Revision in the form that an engine needs. */
export interface RevisionPlan {
  organisation: string;
  app: string;
  /** Revision name, such as `r0007-1a2b3c4d`. */
  revision: string;
  /** Folder with the frozen copy of the script and its files; never written. */
  bundleFolder: string;
  /** Path of the script inside the bundle, and the name of the object in it, such as `serve`. */
  script: string;
  target: string;
  config: AppConfig;
}

export interface ReplicaRequest {
  /**
   * Chosen and stored by the control plane before this call, so that repeated calls start one
   * replica.
   */
  replica: string;
  plan: RevisionPlan;
  /** Values of `config.secretNames`. */
  secrets: Record<string, string>;
  /**
   * Ends the replica with the control plane, however that exits; otherwise the next control plane
   * adopts it.
   */
  endsWithServer?: boolean;
}

/** Phases that an engine reports; the control plane derives its states from them. */
export type ReplicaPhase =
  /** Its environment is being built. */
  | "preparing"
  /** Its process runs and does not answer yet. */
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
   * `import_error`, `startup_timeout`, `killed` (by a signal), `stopped` (by `stopReplica`), `lost`
   * (while no control plane ran), `spawn_failed`, and those of runner.py: `usage`, `syntax_error`,
   * `script_missing`, `target_missing`, `script_error`, `exception`.
   */
  reason: string;
  /** One sentence for users. */
  sentence: string;
  /** The last lines of its log, oldest first. */
  tail: string[];
}

export interface ReplicaObservation {
  replica: string;
  revision: string;
  phase: ReplicaPhase;
  /**
   * Address from "ready" on: `http://127.0.0.1:23817`. A path names a replica behind a proxy, whose
   * own replies carry the header `x-dctl-replica`.
   */
  endpoint: string | undefined;
  /** Present for a process on this machine. */
  processId: number | undefined;
  /** Node of a cluster on which it runs; undefined on this machine, and before it was placed. */
  node?: string | undefined;
  /** Start-up progress, such as "loading shards 3/4". */
  progress: string | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  readyAt: number | undefined;
  /** Milliseconds of the start by phase, once ready: `import`, `download`, `load`, … */
  startPhasesMs?: Readonly<Record<string, number>> | undefined;
  exit: ReplicaExit | undefined;
  warnings: EngineWarning[];
  gpus: string[];
}

export interface Capacity {
  /** True when one more replica fits; otherwise `reason` says why not. */
  fits: boolean;
  reason: string | undefined;
  /** Maximum number of further replicas. */
  replicas: number;
  /** False when waiting does not help, for example because the machine has no such GPU. */
  canEverFit: boolean;
}

export interface LogLine {
  /** Milliseconds since 1970. */
  ts: number;
  organisation: string;
  app: string;
  revision: string;
  /** "build" for lines of the build, "control" for those of the control plane. */
  replica: string;
  stream: "stdout" | "stderr" | "event";
  /** Increases within a replica. */
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
  /** Maximum number of lines, counted from the end; undefined: all. */
  lines?: number | undefined;
  follow: boolean;
  signal?: AbortSignal | undefined;
  /** Position of an earlier reader: `revision/replica` to the `seq` of the last line read. */
  after?: ReadonlyMap<string, number> | undefined;
}

/** Node of a cluster on which an engine runs replicas. */
export interface EngineNode {
  /** Its address; with its id where several nodes share it. */
  name: string;
  id: string;
  isHead: boolean;
  /** True if the cluster has lost it lately. */
  isLost: boolean;
  /** Such as `8 CPUs and 2 x H100`. */
  resources: string;
  /** Such as `3.5 of 8 CPUs, 0 of 2 GPUs`; empty for a lost one. */
  free: string;
}

/** In characters. */
export interface TerminalSize {
  rows: number;
  columns: number;
}

/** Shell on a pseudo-terminal, with a replica's variables and in its folder. */
export interface ReplicaShell {
  /** Takes keys; its end hangs up. */
  input: Writable;
  /** Ends with the shell. */
  output: Readable;
  resize(size: TerminalSize): void;
  /** Ends the shell as a closed terminal does. */
  hangUp(): void;
  ended: Promise<ShellEnd>;
}

export interface ShellEnd {
  /** Exit code of the shell; after a signal, 128 and the signal's number. */
  code: number;
  /** True if it was ended because the replica ended. */
  isWithReplica: boolean;
}

/** Engine that runs replicas. All calls are idempotent. */
export interface Engine {
  readonly kind: "process" | "ray";
  /**
   * Prepares what all replicas of the revision need: an environment, uploads, checks of
   * executables. Throws ProductError with the sentence to show (exit code 6).
   */
  prepare(plan: RevisionPlan, log: (text: string) => void, signal: AbortSignal): Promise<void>;
  /** @returns once the replica is recorded; `observe` reports its progress */
  startReplica(request: ReplicaRequest): Promise<void>;
  /** Stops a drained replica; resolves when its whole process group is gone. */
  stopReplica(
    replica: string,
    how: { signal: "terminate" | "kill"; graceMs: number },
  ): Promise<void>;
  observe(): Promise<ReplicaObservation[]>;
  /** Calls the listener when `observe` has changed. @returns a function that stops it */
  onChange(listener: () => void): () => void;
  /**
   * Adopts running replicas of an earlier control plane, and ends unknown ones.
   * @param known replicas of the store
   */
  adopt(known: readonly string[]): Promise<void>;
  /** Returns the nodes of a cluster, as last read; none for processes of this machine. */
  nodes(): EngineNode[];
  /** Removes the record of an exited replica and releases its reservations. */
  forget(replica: string): Promise<void>;
  capacity(plan: RevisionPlan): Promise<Capacity>;
  /**
   * Yields lines by time, and within a replica by `seq`. Following ends with `query.signal` or
   * `close`.
   */
  logs(query: LogQuery): AsyncIterable<LogLine>;
  /** Adds a line of the control plane to a revision's log, as replica "control". */
  record(of: Pick<RevisionPlan, "organisation" | "app" | "revision">, text: string): void;
  /**
   * Starts a shell on the replica's machine.
   *
   * @param terminal with its type, such as `xterm-256color`
   * @throws ProductError `CLOUD_CONFLICT` for a replica without a process, or out of reach
   */
  openShell(replica: string, terminal: TerminalSize & { type: string }): Promise<ReplicaShell>;
  /**
   * Connects to a port of the replica's machine; the script's own port means the replica's.
   *
   * @throws ProductError `CLOUD_CONFLICT`, `CLOUD_PORT_CLOSED`
   */
  connect(replica: string, port: number): Promise<Socket>;
  /** Removes what `prepare` made for a revision without replicas. */
  destroy(plan: RevisionPlan): Promise<void>;
  /** Stops watching; replicas keep running. */
  close(): Promise<void>;
}
