// Request schemas of the admin API. Unknown fields are rejected, so that a typo is not ignored.
import { type Static, type TProperties, Type } from "typebox";

const closed = { additionalProperties: false };
const count = Type.Integer({ minimum: 0, maximum: 1_000_000 });
const milliseconds = Type.Number({ minimum: 0, maximum: 2 ** 45 });
const texts = Type.Record(Type.String(), Type.String());

const scaleFields = {
  minConcurrency: count,
  maxConcurrency: count,
  concurrencyBuffer: count,
  concurrencyBufferPerc: Type.Number({ minimum: 0, maximum: 1000 }),
  maxMultiplexing: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  targetUtilization: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
  scalingDelayMs: milliseconds,
  keepAliveMs: milliseconds,
  maxStarting: Type.Integer({ minimum: 1, maximum: 1000 }),
} satisfies TProperties;

export const ScaleBody = Type.Object(
  {
    fields: Type.Optional(Type.Partial(Type.Object(scaleFields, closed), closed)),
    reset: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ScaleBody = Static<typeof ScaleBody>;

const Limits = Type.Object(
  {
    startupTimeoutMs: milliseconds,
    requestTimeoutMs: milliseconds,
    drainTimeoutMs: milliseconds,
    terminationGraceMs: milliseconds,
    requestStartTimeoutMs: Type.Optional(milliseconds),
  },
  closed,
);

/** Fields that are optional here may be undefined in the type, and are then absent in JSON. */
const Config = Type.Object(
  {
    kind: Type.Enum(["container", "virtualenv", "function", "app"]),
    exposedPort: Type.Integer({ minimum: 1, maximum: 65_535 }),
    healthPath: Type.String({ pattern: "^/" }),
    healthStatus: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    auth: Type.Enum(["private", "shared", "public"]),
    scale: Type.Object(scaleFields, closed),
    limits: Limits,
    hardware: Type.Object(
      {
        machineType: Type.Optional(Type.String()),
        gpuCount: count,
        alternatives: Type.Optional(
          Type.Array(Type.Object({ machineType: Type.String(), gpuCount: count }, closed)),
        ),
      },
      closed,
    ),
    requirements: Type.Array(Type.String()),
    model: Type.Optional(Type.String()),
    environment: texts,
    secretNames: Type.Array(Type.String()),
    executables: Type.Array(Type.String()),
    coldStart: Type.Enum(["wait", "fail"]),
    noWakePaths: Type.Array(Type.String()),
    sseKeepAliveMs: Type.Optional(milliseconds),
    modelsCache: Type.Optional(Type.Boolean()),
    earlyStream: Type.Optional(Type.Boolean()),
    portRewrite: Type.Enum(["auto", "argv", "none"]),
    upstreamAuthorizationSecret: Type.Optional(Type.String()),
  },
  closed,
);

/** Stored as received; validates only the fields in use. */
const InspectionFields = Type.Object({
  schema: Type.Literal(1),
  target: Type.String({ minLength: 1, maxLength: 200 }),
  env_read: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Optional(Type.String()),
      default: Type.Optional(Type.String()),
    }),
  ),
});

export const DeploymentBody = Type.Object(
  {
    name: Type.Optional(Type.String()),
    organisation: Type.Optional(Type.String()),
    inspection: InspectionFields,
    config: Config,
    bundle: Type.Object(
      {
        script: Type.String(),
        files: Type.Array(
          Type.Object(
            {
              path: Type.String(),
              contentBase64: Type.String({ pattern: "^[A-Za-z0-9+/]*={0,2}$" }),
              isExecutable: Type.Boolean(),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    secrets: Type.Optional(texts),
    strategy: Type.Optional(Type.Enum(["rolling", "recreate"])),
    isForced: Type.Optional(Type.Boolean()),
    isDetached: Type.Optional(Type.Boolean()),
    resetsScale: Type.Optional(Type.Boolean()),
    smoke: Type.Optional(Type.String()),
    message: Type.Optional(Type.String({ maxLength: 2000 })),
    annotations: Type.Optional(texts),
  },
  closed,
);

export const ActivateBody = Type.Object(
  {
    revision: Type.String({ minLength: 1, maxLength: 100 }),
    strategy: Type.Optional(Type.Enum(["rolling", "recreate"])),
    isDetached: Type.Optional(Type.Boolean()),
    smoke: Type.Optional(Type.String()),
  },
  closed,
);
export type ActivateBody = Static<typeof ActivateBody>;

export const PinBody = Type.Object({ isPinned: Type.Boolean() }, closed);
export type PinBody = Static<typeof PinBody>;

export const StopReplicaBody = Type.Object({ replace: Type.Boolean() }, closed);
export type StopReplicaBody = Static<typeof StopReplicaBody>;

export const SecretBody = Type.Object({ value: Type.String() }, closed);
export type SecretBody = Static<typeof SecretBody>;

export const VariablesBody = Type.Object({ values: texts }, closed);
export type VariablesBody = Static<typeof VariablesBody>;

export const KeyBody = Type.Object(
  {
    organisation: Type.Optional(Type.String()),
    scope: Type.Enum(["admin", "api", "api:read"]),
    apps: Type.Optional(Type.Array(Type.String())),
    description: Type.Optional(Type.String({ maxLength: 200 })),
    expiresInMs: Type.Optional(milliseconds),
    requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
);
export type KeyBody = Static<typeof KeyBody>;

export const RotateBody = Type.Object({ graceMs: milliseconds }, closed);
export type RotateBody = Static<typeof RotateBody>;

export const StopBody = Type.Object(
  { drain: Type.Boolean(), keepReplicas: Type.Boolean() },
  closed,
);
export type StopBody = Static<typeof StopBody>;
