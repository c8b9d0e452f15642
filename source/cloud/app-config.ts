// Configuration of a revision, after flags and defaults, and its schema in requests. Unknown fields are
// rejected, so that a typo is not ignored.
import { type Static, type TOptional, type TSchema, type TUnsafe, Type } from "typebox";

export const closed = { additionalProperties: false };
export const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
export const milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 45 });
export const texts = Type.Record(Type.String(), Type.String());

/** Field that may be undefined in the type, and is then absent in JSON. */
export function optional<T extends TSchema>(schema: T) {
  return Type.Optional(schema) as unknown as TOptional<TUnsafe<Static<T> | undefined>>;
}

/** Scaling of an app; all counts are replicas. */
export const ScaleSettings = Type.Object(
  {
    minConcurrency: count,
    maxConcurrency: count,
    concurrencyBuffer: count,
    /** Spare replicas, as a percentage of demand. */
    concurrencyBufferPerc: Type.Number({ minimum: 0, maximum: 1000 }),
    /** Requests that one replica handles at a time. */
    maxMultiplexing: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    /** Fraction (0..1) of `maxMultiplexing` at which another replica is started. */
    targetUtilization: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
    /** Time that a request waits before the app scales up. */
    scalingDelayMs: milliseconds,
    /** Time for which an idle replica is kept. */
    keepAliveMs: milliseconds,
    /** Idle time after which a server that can sleep is put to sleep; absent: never. */
    sleepAfterMs: optional(milliseconds),
    /** Idle time after which a sleeping replica is stopped. Defaults to `defaultStopAfterMs`. */
    stopAfterMs: optional(milliseconds),
    /** Replicas that may start at the same time. */
    maxStarting: Type.Integer({ minimum: 1, maximum: 1000 }),
  },
  closed,
);
export type ScaleSettings = Static<typeof ScaleSettings>;

const TimeLimits = Type.Object(
  {
    /** From spawning a replica until it is ready. */
    startupTimeoutMs: milliseconds,
    /** Limit for the first byte, and for the whole request; 0: none. */
    requestTimeoutMs: milliseconds,
    /** Limit for a draining replica to finish its requests. */
    drainTimeoutMs: milliseconds,
    /** From SIGTERM to SIGKILL. */
    terminationGraceMs: milliseconds,
    /** Wait of a request for a replica. Defaults to the start-up timeout and a minute. */
    requestStartTimeoutMs: optional(milliseconds),
  },
  closed,
);
export type TimeLimits = Static<typeof TimeLimits>;

const HardwareNeeds = Type.Object(
  {
    /** Machine type from the script or a flag, such as "GPU-H100"; absent or "any" accepts any. */
    machineType: optional(Type.String()),
    /** Number of GPUs; 0: CPU only. */
    gpuCount: count,
    /** Used in this order where the machine lacks the hardware above, or has none of it free. */
    alternatives: optional(
      Type.Array(Type.Object({ machineType: Type.String(), gpuCount: count }, closed)),
    ),
  },
  closed,
);
export type HardwareNeeds = Static<typeof HardwareNeeds>;

/** Frozen configuration of one revision. Secrets are named here and stored elsewhere. */
export const AppConfig = Type.Object(
  {
    kind: Type.Enum(["container", "virtualenv", "function", "app"]),
    /** Port in the script, before port mapping. */
    exposedPort: Type.Integer({ minimum: 1, maximum: 65_535 }),
    healthPath: Type.String({ pattern: "^/" }),
    /** Status of `healthPath` once the app is ready; absent: any below 500. */
    healthStatus: optional(Type.Integer({ minimum: 100, maximum: 599 })),
    /** Callers that the app accepts. */
    auth: Type.Enum(["private", "shared", "public"]),
    scale: ScaleSettings,
    limits: TimeLimits,
    hardware: HardwareNeeds,
    requirements: Type.Array(Type.String()),
    /** Model of modelctl that a script of `init --model` serves. */
    model: optional(Type.String()),
    /** Variables of every replica, without secrets. */
    environment: texts,
    /** Names of secrets that every replica gets as variables. */
    secretNames: Type.Array(Type.String()),
    /** Names of the variables and secrets above that flags or a shell gave; deployments keep them. */
    givenVariables: optional(Type.Array(Type.String())),
    /** Programs that the script runs; checked before a start. */
    executables: Type.Array(Type.String()),
    coldStart: Type.Enum(["wait", "fail"]),
    /** GET paths that never wake a sleeping app. */
    noWakePaths: Type.Array(Type.String()),
    /** Silence after which an event stream gets a comment; absent: never. */
    sseKeepAliveMs: optional(milliseconds),
    /** Answers a sleeping app's model list from the last response. Defaults to false. */
    modelsCache: optional(Type.Boolean()),
    /** Starts streaming to a sleeping app's caller while its replica starts. Defaults to false. */
    earlyStream: optional(Type.Boolean()),
    portRewrite: Type.Enum(["auto", "argv", "none"]),
    /** Name of the secret sent to the replica as Authorization, instead of the caller's. */
    upstreamAuthorizationSecret: optional(Type.String()),
  },
  closed,
);
export type AppConfig = Static<typeof AppConfig>;

export type AuthMode = AppConfig["auth"];

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

const defaultStopAfterMs = 3_600_000;

/** Idle time after which a sleeping replica is stopped; never before it sleeps. */
export function stopAfterMsOf({ sleepAfterMs = 0, stopAfterMs }: ScaleSettings): number {
  return stopAfterMs ?? Math.max(defaultStopAfterMs, 2 * sleepAfterMs);
}

/** @returns undefined if a replica sleeps before it is stopped */
export function sleepFault(scale: Partial<ScaleSettings>): string | undefined {
  const { sleepAfterMs, stopAfterMs } = scale;
  if (stopAfterMs === undefined) return undefined;
  if (sleepAfterMs === undefined) return "has no effect without sleep_after";
  if (stopAfterMs > sleepAfterMs) return undefined;
  return `is ${stopAfterMs / 1000} s, not more than sleep_after (${sleepAfterMs / 1000} s)`;
}

export const defaultLimits: TimeLimits = {
  startupTimeoutMs: 900_000,
  requestTimeoutMs: 3_600_000,
  drainTimeoutMs: 600_000,
  terminationGraceMs: 10_000,
};
