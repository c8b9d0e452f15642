// Interface between control plane and gateway: routes in one direction, demand in the other.
import type { AuthMode, ScaleSettings, TimeLimits } from "../app-config.ts";

/** Address on which a gateway listens. */
export interface BoundAddress {
  scheme: "http" | "https";
  host: string;
  port: number;
  url: string;
}

export interface RoutedReplica {
  replica: string;
  revision: string;
  /** `http://127.0.0.1:23817`, or with the path of a replica behind a proxy. */
  endpoint: string;
  /** Accepts new requests; false while draining or unhealthy. */
  isOpen: boolean;
  /** Milliseconds since 1970, for the slow start. */
  readyAt: number;
}

/** Second revision of an app, which gets a share of its traffic. */
export interface RoutedCandidate {
  revision: string;
  /** Share of the conversations, in percent. */
  percent: number;
  maxMultiplexing: number;
  /** Value of the Authorization header sent to its replicas. */
  upstreamAuthorization: string | undefined;
  /** False while no replica of it can start; its requests then go to the active revision. */
  canStart: boolean;
}

/** App as published to the gateway. */
export interface RoutedApp {
  organisation: string;
  app: string;
  auth: AuthMode;
  /** Deleted apps stay for a day as tombstones. */
  state: "active" | "paused" | "deleted";
  revision: string | undefined;
  scale: ScaleSettings;
  limits: TimeLimits;
  coldStart: "wait" | "fail";
  noWakePaths: readonly string[];
  /** Milliseconds of silence after which an event stream gets a comment. */
  sseKeepAliveMs?: number | undefined;
  /** Answers `GET /v1/models` from the revision's last reply while no replica is open. */
  modelsCache?: boolean | undefined;
  /** Sends head and comments of a stream at once while no replica is open. */
  earlyStream?: boolean | undefined;
  /** Value of the Authorization header sent to replicas. */
  upstreamAuthorization: string | undefined;
  /** Refuses the routes with which the control plane puts servers to sleep. */
  reservesSleep?: boolean | undefined;
  /** Set when the active revision cannot start; requests fail with it at once. */
  failure:
    | { errorType: "startup_failed" | "runner_scheduling_failure"; sentence: string }
    | undefined;
  /** Set while traffic is split. */
  candidate?: RoutedCandidate | undefined;
  replicas: readonly RoutedReplica[];
}

/** Requests that wait for a replica. */
export interface Waiting {
  queued: number;
  /** Milliseconds that the oldest has waited; 0 if none waits. */
  oldestQueuedMs: number;
}

/** Current requests of one app. */
export interface Demand extends Waiting {
  /** Requests that replicas are working on. */
  busy: number;
  /** The part of the queue that waits for the second revision, while traffic is split. */
  ofCandidate?: Waiting | undefined;
  /** The other part. */
  ofActive?: Waiting | undefined;
}

/** Gateway as seen by the control plane. All calls but `drained` are synchronous and cheap. */
export interface Traffic {
  /** Replaces the whole routing table; idempotent. */
  publish(apps: readonly RoutedApp[]): void;
  demand(organisation: string, app: string): Demand;
  /** Number of requests that a replica has now. */
  inFlight(replica: string): number;
  /** End of a replica's last request, in milliseconds since 1970; undefined if it had none. */
  lastUsedAt(replica: string): number | undefined;
  /**
   * Milliseconds since 1970 since which the gateway counts requests; undefined while none runs. One
   * that has just started knows of no earlier ones.
   */
  readonly reportingSince: number | undefined;
  /** Calls the listener when a request arrives, is dispatched, or ends. @returns unsubscribes */
  onDemand(listener: (organisation: string, app: string) => void): () => void;
  /** Resolves when a closed replica has no requests left. */
  drained(replica: string, signal: AbortSignal): Promise<void>;
}

/** Requests of a gateway at one moment. */
export interface TrafficReport {
  /** Apps without requests are left out. */
  demands: readonly (Demand & { organisation: string; app: string })[];
  /** Replicas that hold requests or did before. */
  replicas: readonly { replica: string; inFlight: number; lastUsedAt?: number | undefined }[];
}
