// Documents of the admin API (`/_/v1/…`), shared by the command line, the console and tests.
import type { AppConfig, AuthMode, ScaleSettings } from "../app-config.ts";
import type {
  EngineNode,
  LogLine,
  ReplicaExit,
  ReplicaObservation,
  ShellEnd,
} from "../engines/engine.ts";
import type { Inspection } from "../inspection/inspection.ts";
import type { CloudKey, KeyScope } from "../keys/cloud-key.ts";
import type { ServedApi } from "../served-api.ts";
import type { VariableChanges } from "../variable-changes.ts";
import type {
  ActivateBody,
  DeploymentBody,
  EnvironmentBody,
  KeyBody,
  PromoteBody,
  TrafficBody,
} from "./schemas.ts";

export type AppState =
  | "COLD"
  /** Its replicas sleep: the next request wakes one. */
  | "ASLEEP"
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
  /** Gets a share of the traffic beside the active one. */
  | "CANARY"
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
  | "ASLEEP"
  | "WAKING"
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
  /** Reason for an unhealthy state. */
  reason: string | undefined;
  activeRevision: string | undefined;
  /** Taken from the active revision, else from the newest. */
  api: ServedApi;
  scale: ScaleSettings;
  /** Fields of `scale` that `apps scale` has set; they survive deployments. */
  overrides: (keyof ScaleSettings)[];
  isEphemeral: boolean;
  replicas: { wanted: number; alive: number; ready: number };
  /** Set while traffic is split between two revisions. */
  traffic?: TrafficDocument | undefined;
  inFlight: number;
  queued: number;
  createdAt: number;
  updatedAt: number;
}

/** Split of an app's traffic; the figures count from `since`. */
export interface TrafficDocument {
  /** Start of the present shares. */
  since: number;
  /** The active revision, then the one that may replace it. */
  revisions: [SharingRevision, SharingRevision];
  /** Steps that follow by themselves. */
  steps: { percents: number[]; stepMs: number; minRequests: number } | undefined;
}

export interface SharingRevision extends AnswersDocument {
  percent: number;
  replicas: { alive: number; ready: number };
  inFlight: number;
  /** Reason why none of its replicas can start now. */
  reason: string | undefined;
}

export interface RevisionDocument {
  organisation: string;
  app: string;
  revision: string;
  state: RevisionState;
  reason: string | undefined;
  config: AppConfig;
  /** SHA-256 of its files. */
  bundle: string;
  /** Names of secrets whose values belong to the revision. */
  secrets: string[];
  message: string | undefined;
  annotations: Record<string, string>;
  createdBy: string | undefined;
  createdAt: number;
  isPinned: boolean;
}

export interface ReplicaDocument
  extends Omit<ReplicaObservation, "phase" | "startPhasesMs" | "warnings"> {
  organisation: string;
  app: string;
  state: ReplicaState;
  inFlight: number;
  /** Time at which the autoscaler drains the replica, or puts it to sleep, if no request arrives. */
  expiresAt: number | undefined;
  /** Duration of its start, or of its last waking. */
  coldStartMs: number | undefined;
  /** Cold start by phase, in order of time; of a waking, `woke`. */
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
  /** One sentence, with the numbers that caused it. */
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
  status: "active" | "no_change" | "rolling_out" | "split";
  url: string;
  auth: AuthMode;
  api: ServedApi;
  cold_start_ms: number | undefined;
  previous: string | undefined;
  /** Shares of both revisions, after a split. */
  traffic?: TrafficShare[] | undefined;
  /** Variables given by flags or a shell; absent when a revision is activated again. */
  variables?: VariableChanges | undefined;
  warnings: string[];
}

export type NodeDocument = EngineNode;

export interface ServerStatus extends Partial<ServerProcesses> {
  version: string;
  processId: number;
  startedAt: number;
  baseUrl: string;
  organisation: string;
  engine: "process" | "ray";
  /** Nodes of the engine's cluster; absent for processes of this machine. */
  nodes?: readonly NodeDocument[] | undefined;
  gateway: string;
  /** Address of the admin API for other machines. */
  adminUrl?: string | undefined;
  apps: number;
  replicas: number;
  isReady: boolean;
  /** Set while the server is shutting down and running requests finish. */
  isStopping?: boolean | undefined;
  /** Fault that prevents the server from working, such as a full disk, as a sentence. */
  problem?: string | undefined;
}

/** Process of a supervised server. */
export interface ServerProcess {
  pid: number;
  /** Starts after the first one. */
  restarts: number;
  /** Exit before the last restart, with the last line of its standard error. */
  lastExit?: string | undefined;
}

/** Processes of a supervised server. */
export interface ServerProcesses {
  supervisor: ServerProcess;
  gatewayProcess: ServerProcess;
  controlPlane: ServerProcess;
}

export type { BundleFile, TrafficPlan } from "./schemas.ts";

export type DeploymentRequest = Omit<DeploymentBody, "inspection"> & { inspection: Inspection };
export type RolloutRequest = ActivateBody;
export type NewEnvironmentRequest = EnvironmentBody;
export type PromoteRequest = PromoteBody;
export type TrafficShare = TrafficBody["shares"][number];
export type NewKeyRequest = KeyBody;
export type DeployStrategy = NonNullable<RolloutRequest["strategy"]>;

/** One line of `POST ephemeral`: the deployment's events, then the app's log, until it ends. */
export type EphemeralEvent =
  | DeployEvent
  | { kind: "line"; line: LogLine }
  /** Sent every 10 s, so that both ends notice a broken connection. */
  | { kind: "heartbeat"; at: number }
  /** Last line: the app exited by itself. */
  | { kind: "ended"; exit: ReplicaExit };

export type { ShellInput } from "./schemas.ts";

/** One line of the reply of `POST replicas/REPLICA/shell`; the last has `kind` "ended". */
export type ShellEvent = { kind: "output"; base64: string } | ({ kind: "ended" } & ShellEnd);

/** One line of an app's log. */
export type LogDocument = LogLine;

/** Absent fields stay unchanged. */
export type ScaleChange = Partial<ScaleSettings>;

/** Document of `apps show`: the app with its active revision. */
export interface AppDetails extends AppDocument {
  revision: RevisionDocument | undefined;
  /** Newest deployment still in progress. */
  rollout: { revision: string; strategy: DeployStrategy; since: number } | undefined;
}

export interface EnvironmentDocument {
  organisation: string;
  name: string;
  description: string | undefined;
  /** Undefined for `main`, which always exists. */
  createdAt: number | undefined;
  apps: number;
}

export interface SecretDocument {
  organisation: string;
  environment: string;
  name: string;
  updatedAt: number;
}

/** Variable of an app; values whose names look secret are masked. */
export interface VariableDocument {
  name: string;
  value: string;
  isMasked: boolean;
  updatedAt: number;
}

export type { KeyScope };

export interface KeyDocument extends Omit<CloudKey, "apps" | "description" | "replacedBy"> {
  apps: string[];
  description: string | undefined;
  state: "active" | "expired" | "revoked";
}

/** Response that shows a token, which is not shown again. */
export interface NewKeyDocument {
  key: KeyDocument;
  token: string;
}

/** Answers of one revision. */
export interface AnswersDocument extends AnswerCounts {
  revision: string;
}

export interface AnswerCounts {
  requests: number;
  /** Responses with a status of 500 or more, and streams that ended with an error. */
  errors: number;
  /** Responses with a status of 400 to 498. */
  clientErrors: number;
  ttfbMsP50: number | undefined;
  ttfbMsP95: number | undefined;
}

export interface UsageDocument extends AnswerCounts {
  organisation: string;
  app: string;
  /** Newest first. */
  revisions: AnswersDocument[];
  /** Requests of the queue, which `requests` includes. */
  queued: number;
  inputTokens: number;
  /** Input tokens that replicas read from a cache. */
  cachedTokens: number;
  outputTokens: number;
  gpuSeconds: { busy: number; idle: number; starting: number };
  /** Cost in the currency of prices.json; undefined without a price. */
  cost: number | undefined;
}

/** Request of an app's queue, without its bodies. Times are milliseconds since 1970. */
export interface QueuedRequestDocument {
  id: string;
  organisation: string;
  app: string;
  /** Path for the replica, with its query. */
  path: string;
  keyId: string | undefined;
  state: "IN_QUEUE" | "IN_PROGRESS" | "COMPLETED";
  /** Number of requests before it, while it waits. */
  position: number | undefined;
  isLowPriority: boolean;
  /** A replica may get it twice. */
  isRepeatable: boolean;
  /** Number of times that a replica has got it, or may have. */
  attempts: number;
  submittedAt: number;
  startBy: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  expiresAt: number | undefined;
  replica: string | undefined;
  revision: string | undefined;
  /** Status of the result. */
  status: number | undefined;
  /** Set for an error of the gateway or the queue. */
  errorType: string | undefined;
  error: string | undefined;
  requestBytes: number;
  resultBytes: number;
  webhook:
    | {
        url: string;
        /** Undefined until the request has ended. */
        state: "pending" | "delivered" | "failed" | undefined;
        attempts: number;
        nextAt: number | undefined;
        /** Reason of the last failure, as a sentence. */
        fault: string | undefined;
      }
    | undefined;
}

export interface StateCheck {
  file: string;
  /** Problems that SQLite reports; empty when the database is sound. */
  problems: string[];
  backups: { file: string; at: number }[];
}

/** Body of every error response. */
export interface ErrorDocument {
  error: { code: string; message: string; hint?: string; exitCode: number };
}
