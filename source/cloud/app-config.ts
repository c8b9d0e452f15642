// What a revision is made of: the configuration a script asks for, after flags and defaults.

/** Which callers an app answers. */
export type AuthMode = "private" | "shared" | "public";

/** How an app grows and shrinks; all counts are of replicas. */
export interface ScaleSettings {
  minConcurrency: number;
  maxConcurrency: number;
  concurrencyBuffer: number;
  /** Percent of the demand that is kept as spare replicas. */
  concurrencyBufferPerc: number;
  /** Requests that one replica is given at a time. */
  maxMultiplexing: number;
  /** 0..1 of `maxMultiplexing` at which another replica is wanted. */
  targetUtilization: number;
  /** Milliseconds a request waits before it makes the app grow. */
  scalingDelayMs: number;
  /** Milliseconds that an idle replica is kept. */
  keepAliveMs: number;
  /** How many replicas may start at a time. */
  maxStarting: number;
}

export interface TimeLimits {
  /** From spawning a replica to its readiness. */
  startupTimeoutMs: number;
  /** Of one request, first byte and total; 0: none. */
  requestTimeoutMs: number;
  /** How long a drained replica may take to finish what it has. */
  drainTimeoutMs: number;
  /** From SIGTERM to SIGKILL. */
  terminationGraceMs: number;
}

export interface HardwareNeeds {
  /** As the script or a flag says, such as "GPU-H100"; undefined or "any": whatever there is. */
  machineType: string | undefined;
  /** 0: the processor alone. */
  gpuCount: number;
}

/** One revision's frozen configuration. Secrets are named here and stored elsewhere. */
export interface AppConfig {
  kind: "container" | "virtualenv" | "function" | "app";
  /** The port that the script says, before the port map. */
  exposedPort: number;
  healthPath: string;
  auth: AuthMode;
  scale: ScaleSettings;
  limits: TimeLimits;
  hardware: HardwareNeeds;
  requirements: string[];
  /** Variables that every replica gets, without secrets. */
  environment: Record<string, string>;
  /** Names of secrets that every replica gets as variables. */
  secretNames: string[];
  /** Programs that the script calls, looked up before anything starts. */
  executables: string[];
  coldStart: "wait" | "fail";
  /** GETs of these paths never wake an app that sleeps. */
  noWakePaths: string[];
  /** Milliseconds of silence after which an event stream gets a comment; absent: never. */
  sseKeepAliveMs?: number | undefined;
  /** Whether a sleeping app's list of models is answered from the last reply. Absent: no. */
  modelsCache?: boolean | undefined;
  /** Whether a stream to a sleeping app begins while its replica starts. Absent: no. */
  earlyStream?: boolean | undefined;
  portRewrite: "auto" | "argv" | "none";
  /** Sent to the replica in place of the caller's; the name of a secret. */
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
