// Configuration of a revision, after flags and defaults.

/** Callers that an app accepts. */
export type AuthMode = "private" | "shared" | "public";

/** Scaling of an app; all counts are replicas. */
export interface ScaleSettings {
  minConcurrency: number;
  maxConcurrency: number;
  concurrencyBuffer: number;
  /** Spare replicas, as a percentage of demand. */
  concurrencyBufferPerc: number;
  /** Requests that one replica handles at a time. */
  maxMultiplexing: number;
  /** Fraction (0..1) of `maxMultiplexing` at which another replica is started. */
  targetUtilization: number;
  /** Milliseconds that a request waits before the app scales up. */
  scalingDelayMs: number;
  /** Milliseconds for which an idle replica is kept. */
  keepAliveMs: number;
  /** Replicas that may start at the same time. */
  maxStarting: number;
}

export interface TimeLimits {
  /** From spawning a replica until it is ready. */
  startupTimeoutMs: number;
  /** Limit for the first byte, and for the whole request; 0: none. */
  requestTimeoutMs: number;
  /** Limit for a draining replica to finish its requests. */
  drainTimeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  terminationGraceMs: number;
  /** Wait of a request for a replica. Defaults to the start-up timeout and a minute. */
  requestStartTimeoutMs?: number | undefined;
}

export interface HardwareNeeds {
  /** Machine type from the script or a flag, such as "GPU-H100"; undefined or "any" accepts any. */
  machineType: string | undefined;
  /** Number of GPUs; 0: CPU only. */
  gpuCount: number;
  /** Used in this order where the machine lacks the hardware above, or has none of it free. */
  alternatives?: HardwareChoice[] | undefined;
}

export interface HardwareChoice {
  machineType: string;
  gpuCount: number;
}

/** Frozen configuration of one revision. Secrets are named here and stored elsewhere. */
export interface AppConfig {
  kind: "container" | "virtualenv" | "function" | "app";
  /** Port in the script, before port mapping. */
  exposedPort: number;
  healthPath: string;
  /** Status of `healthPath` once the app is ready; absent: any below 500. */
  healthStatus?: number | undefined;
  auth: AuthMode;
  scale: ScaleSettings;
  limits: TimeLimits;
  hardware: HardwareNeeds;
  requirements: string[];
  /** Model of modelctl that a script of `init --model` serves. */
  model?: string | undefined;
  /** Variables of every replica, without secrets. */
  environment: Record<string, string>;
  /** Names of secrets that every replica gets as variables. */
  secretNames: string[];
  /** Programs that the script runs; checked before a start. */
  executables: string[];
  coldStart: "wait" | "fail";
  /** GET paths that never wake a sleeping app. */
  noWakePaths: string[];
  /** Milliseconds of silence after which an event stream gets a comment; absent: never. */
  sseKeepAliveMs?: number | undefined;
  /** Answers a sleeping app's model list from the last response. Defaults to false. */
  modelsCache?: boolean | undefined;
  /** Starts streaming to a sleeping app's caller while its replica starts. Defaults to false. */
  earlyStream?: boolean | undefined;
  portRewrite: "auto" | "argv" | "none";
  /** Name of the secret sent to the replica as Authorization, instead of the caller's. */
  upstreamAuthorizationSecret: string | undefined;
}

export const defaultScale: ScaleSettings = {
  minConcurrency: 0,
  maxConcurrency: 1,
  concurrencyBuffer: 0,
  concurrencyBufferPerc: 0,
  maxMultiplexing: 1,
  targetUtilization: 0.8,
  scalingDelayMs: 0,
  keepAliveMs: 60_000,
  maxStarting: 4,
};

export const defaultLimits: TimeLimits = {
  startupTimeoutMs: 900_000,
  requestTimeoutMs: 3_600_000,
  drainTimeoutMs: 600_000,
  terminationGraceMs: 10_000,
};
