// The documents of the admin API (`/_/v1/…`), which the command line, the console and tests read.
import type { AppConfig, AuthMode, ScaleSettings } from "../app-config.ts";
import type { ReplicaExit } from "../engines/engine.ts";

export type AppState =
  | "COLD"
  | "STARTING"
  | "READY"
  | "DEGRADED"
  | "CRASH_BACKOFF"
  | "UNSCHEDULABLE"
  | "ROLLING"
  | "PAUSED"
  | "DELETING"
  | "DELETED"
  | "FAILED";

export type RevisionState =
  | "UPLOADED"
  | "BUILDING"
  | "VERIFYING"
  | "ACTIVE"
  | "SUPERSEDED"
  | "RETIRED"
  | "FAILED"
  | "ABORTED";

export type ReplicaState =
  | "PENDING"
  | "PREPARING"
  | "SETUP"
  | "IDLE"
  | "RUNNING"
  | "DRAINING"
  | "TERMINATING"
  | "TERMINATED"
  | "CRASH_BACKOFF"
  | "UNHEALTHY"
  | "LOST"
  | "UNSCHEDULABLE";

/** Times are milliseconds since 1970. */
export interface AppDocument {
  organisation: string;
  app: string;
  url: string;
  auth: AuthMode;
  state: AppState;
  /** Why, when the state is a bad one. */
  reason: string | undefined;
  activeRevision: string | undefined;
  scale: ScaleSettings;
  /** The fields of `scale` that `apps scale` has set; they survive deploys. */
  overrides: (keyof ScaleSettings)[];
  isEphemeral: boolean;
  replicas: { wanted: number; alive: number; ready: number };
  inFlight: number;
  queued: number;
  createdAt: number;
  updatedAt: number;
}

export interface RevisionDocument {
  organisation: string;
  app: string;
  revision: string;
  state: RevisionState;
  reason: string | undefined;
  config: AppConfig;
  message: string | undefined;
  annotations: Record<string, string>;
  createdBy: string | undefined;
  createdAt: number;
  isPinned: boolean;
}

export interface ReplicaDocument {
  organisation: string;
  app: string;
  revision: string;
  replica: string;
  state: ReplicaState;
  inFlight: number;
  endpoint: string | undefined;
  processId: number | undefined;
  progress: string | undefined;
  gpus: string[];
  startedAt: number;
  readyAt: number | undefined;
  /** When the autoscaler would drain it, if nothing is asked. */
  expiresAt: number | undefined;
  exit: ReplicaExit | undefined;
  coldStartMs: number | undefined;
}

export interface EventDocument {
  at: number;
  organisation: string;
  app: string;
  revision: string | undefined;
  replica: string | undefined;
  /** Stable, such as `scaled`, `activated`, `crashed`, `rolled_back`. */
  kind: string;
  /** One sentence with the number that caused it. */
  sentence: string;
}

/** One line of a deployment's NDJSON stream; the last has `kind` "done" or "failed". */
export type DeployEvent =
  | { kind: "phase"; phase: DeployPhase; sentence: string; elapsedMs: number }
  | { kind: "log"; text: string }
  | { kind: "warning"; code: string; sentence: string }
  | { kind: "done"; result: DeployResult }
  | {
      kind: "failed";
      code: string;
      sentence: string;
      exitCode: number;
      reason: string | undefined;
      tail: string[];
    };

export type DeployPhase = "inspect" | "bundle" | "build" | "start" | "verify" | "activate";

export interface DeployResult {
  /** `local/lfm2-8b` */
  app: string;
  revision: string;
  status: "active" | "no_change" | "rolling_out";
  url: string;
  auth: AuthMode;
  cold_start_ms: number | undefined;
  previous: string | undefined;
  warnings: string[];
}

export interface ServerStatus {
  version: string;
  processId: number;
  startedAt: number;
  baseUrl: string;
  organisation: string;
  engine: "process" | "ray";
  gateway: string;
  apps: number;
  replicas: number;
  isReady: boolean;
}
