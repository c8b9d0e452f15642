// The documents of the admin API (`/_/v1/…`), which the command line, the console and tests read.
import type { AppConfig, AuthMode, ScaleSettings } from "../app-config.ts";
import type { LogLine, ReplicaExit } from "../engines/engine.ts";
import type { Inspection } from "../inspection/inspection.ts";

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
  /** The same by phase, in the order in which they came. */
  coldStartPhasesMs?: Readonly<Record<string, number>> | undefined;
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
  /** Where the admin API is reached from other machines. */
  adminUrl?: string | undefined;
  apps: number;
  replicas: number;
  isReady: boolean;
  /** It has been told to end: requests that run may end first. */
  isStopping?: boolean | undefined;
  /** What keeps it from doing its work, such as a full disk, as a sentence. */
  problem?: string | undefined;
}

/** One file of a deployment's bundle. */
export interface BundleFile {
  /** Relative, with `/`, inside the bundle. */
  path: string;
  contentBase64: string;
  isExecutable: boolean;
}

/** The body of `POST deployments` and `POST ephemeral`. */
export interface DeploymentRequest {
  /** The app's name; an ephemeral one may leave it out and gets one drawn. */
  name?: string | undefined;
  /** Undefined: the server's own. */
  organisation?: string | undefined;
  inspection: Inspection;
  /** After flags and defaults, without any secret. */
  config: AppConfig;
  bundle: {
    /** Which of the files is the script. */
    script: string;
    files: BundleFile[];
  };
  /** Values that are frozen with the revision, encrypted: the script's variables that look secret. */
  secrets?: Record<string, string> | undefined;
  strategy?: DeployStrategy | undefined;
  /** Deploy although nothing changed, and in place of a deployment that still runs. */
  isForced?: boolean | undefined;
  /** Answer after "build"; the rest goes on by itself. */
  isDetached?: boolean | undefined;
  /** Drops what `apps scale` has set. */
  resetsScale?: boolean | undefined;
  /** Asked of the new replica before it gets traffic, such as `GET /v1/models`. */
  smoke?: string | undefined;
  message?: string | undefined;
  annotations?: Record<string, string> | undefined;
}

export type DeployStrategy = "rolling" | "recreate";

/** One line of `POST ephemeral`: first those of a deployment, then its log, until it ends. */
export type EphemeralEvent =
  | DeployEvent
  | { kind: "line"; line: LogLine }
  /** Proves that both ends live; every 10 s. */
  | { kind: "heartbeat"; at: number }
  /** The app ended by itself; the last line. */
  | { kind: "ended"; exit: ReplicaExit };

/** One line of an app's log. */
export type LogDocument = LogLine;

/** Fields that are absent stay as they are. */
export type ScaleChange = Partial<ScaleSettings>;

/** `apps show`'s document: the app, and what its active revision is made of. */
export interface AppDetails extends AppDocument {
  revision: RevisionDocument | undefined;
  /** The newest deployment that has not ended yet. */
  rollout: { revision: string; strategy: DeployStrategy; since: number } | undefined;
}

export interface SecretDocument {
  organisation: string;
  name: string;
  updatedAt: number;
}

/** A variable of an app; values whose names look secret are masked. */
export interface VariableDocument {
  name: string;
  value: string;
  isMasked: boolean;
  updatedAt: number;
}

export type KeyScope = "admin" | "api" | "api:read";

export interface KeyDocument {
  id: string;
  organisation: string;
  scope: KeyScope;
  /** Apps that it is good for; empty: all of the organisation. */
  apps: string[];
  description: string | undefined;
  state: "active" | "expired" | "revoked";
  requestsPerMinute: number | undefined;
  createdAt: number;
  expiresAt: number | undefined;
  lastUsedAt: number | undefined;
  revokedAt: number | undefined;
}

export interface NewKeyRequest {
  organisation?: string | undefined;
  scope: KeyScope;
  apps?: string[] | undefined;
  description?: string | undefined;
  /** Milliseconds from now; undefined: never. */
  expiresInMs?: number | undefined;
  requestsPerMinute?: number | undefined;
}

/** The only time that a token is seen. */
export interface NewKeyDocument {
  key: KeyDocument;
  token: string;
}

export interface UsageDocument {
  organisation: string;
  app: string;
  requests: number;
  errors: number;
  ttfbMsP50: number | undefined;
  ttfbMsP95: number | undefined;
  inputTokens: number;
  outputTokens: number;
  gpuSeconds: { busy: number; idle: number; starting: number };
  /** In the currency of prices.json; undefined without a price. */
  cost: number | undefined;
}

export interface StateCheck {
  file: string;
  /** What SQLite complains of; empty when all is well. */
  complaints: string[];
  backups: { file: string; at: number }[];
}

/** The body of every answer that is not a success. */
export interface ErrorDocument {
  error: { code: string; message: string; hint?: string; exitCode: number };
}
