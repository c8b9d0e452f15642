// The seam between the control plane and the gateway: what is routed where, and how much is asked.
import type { AuthMode, ScaleSettings, TimeLimits } from "../app-config.ts";
import type { BoundAddress } from "./listener-options.ts";

export interface RoutedReplica {
  replica: string;
  revision: string;
  /** `http://127.0.0.1:23817` */
  endpoint: string;
  /** Whether it takes new requests; false while it drains or is unhealthy. */
  isOpen: boolean;
  /** Milliseconds since 1970, for the slow start. */
  readyAt: number;
}

/** An app as the gateway needs it. */
export interface RoutedApp {
  organisation: string;
  app: string;
  auth: AuthMode;
  /** `deleted` is kept for a day as a tombstone. */
  state: "active" | "paused" | "deleted";
  revision: string | undefined;
  scale: ScaleSettings;
  limits: TimeLimits;
  coldStart: "wait" | "fail";
  noWakePaths: readonly string[];
  /** Milliseconds of silence after which an event stream gets a comment. */
  sseKeepAliveMs?: number | undefined;
  /** While no replica is open, `GET /v1/models` is answered from the revision's last reply. */
  modelsCache?: boolean | undefined;
  /** While no replica is open, a request for a stream gets its head and comments at once. */
  earlyStream?: boolean | undefined;
  /** Value of the Authorization header that replicas want. */
  upstreamAuthorization: string | undefined;
  /** Set when the active revision cannot start: requests fail at once with it. */
  failure:
    | { errorType: "startup_failed" | "runner_scheduling_failure"; sentence: string }
    | undefined;
  replicas: readonly RoutedReplica[];
}

/** Requests of one app at this moment. */
export interface Demand {
  /** Given to replicas. */
  busy: number;
  /** Waiting for one. */
  queued: number;
  /** Milliseconds that the oldest waits; 0 without one. */
  oldestQueuedMs: number;
}

/** What the control plane sees of the gateway. All calls are synchronous and cheap but `drained`. */
export interface Traffic {
  /** Replaces the whole table; repeated calls with the same table change nothing. */
  publish(apps: readonly RoutedApp[]): void;
  demand(organisation: string, app: string): Demand;
  /** Requests that a replica holds now. */
  inFlight(replica: string): number;
  /** Milliseconds since 1970 of a replica's last request's end; undefined: it never had one. */
  lastUsedAt(replica: string): number | undefined;
  /** Called when a request arrives, is dispatched, or ends. @returns stops it */
  onDemand(listener: (organisation: string, app: string) => void): () => void;
  /** Resolves when a replica that is no longer open holds no request. */
  drained(replica: string, signal: AbortSignal): Promise<void>;
}

/** Gateway as the control plane uses it: in its own process, or in another one. */
export interface GatewayControl extends Traffic {
  /** Empty until it listens. */
  readonly addresses: readonly BoundAddress[];
  /** Opens all addresses, or none. */
  listen(): Promise<unknown>;
  /** Refuses new requests, lets running ones finish for so long, then cuts them. */
  close(how: { drainMs: number }): Promise<void>;
  /** Ends the running requests of a key at once. */
  cutRequestsOf(keyId: string): void;
}

/** Requests of a gateway at one moment. */
export interface TrafficReport {
  /** Apps without requests are left out. */
  demands: readonly (Demand & { organisation: string; app: string })[];
  /** Replicas that hold requests or did before. */
  replicas: readonly { replica: string; inFlight: number; lastUsedAt?: number | undefined }[];
}
