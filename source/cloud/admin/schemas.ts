// Request schemas of the admin API. Unknown fields are rejected, so that a typo is not ignored.
import { type Static, Type } from "typebox";
import { AppConfig, closed, milliseconds, optional, ScaleSettings, texts } from "../app-config.ts";

export const ScaleBody = Type.Object(
  {
    fields: Type.Optional(Type.Partial(ScaleSettings, closed)),
    reset: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ScaleBody = Static<typeof ScaleBody>;

/** Stored as received; validates only the fields in use. */
const InspectionFields = Type.Object({
  schema: Type.Literal(1),
  target: Type.String({ minLength: 1, maxLength: 200 }),
  config: Type.Record(Type.String(), Type.Unknown()),
  env_read: Type.Array(
    Type.Object({
      name: Type.String(),
      value: Type.Optional(Type.String()),
      default: Type.Optional(Type.String()),
    }),
  ),
});

/** File of a deployment's bundle. */
const BundleFile = Type.Object(
  {
    /** Relative path inside the bundle, with `/`. */
    path: Type.String(),
    contentBase64: Type.String({ pattern: "^[A-Za-z0-9+/]*={0,2}$" }),
    isExecutable: Type.Boolean(),
  },
  closed,
);
export type BundleFile = Static<typeof BundleFile>;

const rollout = {
  strategy: optional(Type.Enum(["rolling", "recreate"])),
  /** Returns after "build"; the deployment continues in the background. */
  isDetached: optional(Type.Boolean()),
  /** Request that a new replica must answer before it gets traffic, such as `GET /v1/models`. */
  smoke: optional(Type.String()),
};

/** Leaves the active revision in place, and gives the new one a share of its traffic. */
export const TrafficPlan = Type.Object(
  {
    /** Shares in percent, ascending; after a single one, further ones are set by command. */
    percents: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), { minItems: 1, maxItems: 20 }),
    /** Time at each share. */
    stepMs: optional(milliseconds),
    /** Requests of the new revision that a step needs at least. */
    minRequests: optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  },
  closed,
);
export type TrafficPlan = Static<typeof TrafficPlan>;

/** Body of `PUT apps/APP/traffic`. */
export const TrafficBody = Type.Object(
  {
    shares: Type.Array(
      Type.Object(
        { revision: Type.String({ minLength: 1, maxLength: 100 }), percent: Type.Integer() },
        closed,
      ),
      { minItems: 1, maxItems: 100 },
    ),
  },
  closed,
);
export type TrafficBody = Static<typeof TrafficBody>;

/** Body of `POST deployments` and `POST ephemeral`. */
export const DeploymentBody = Type.Object(
  {
    /** Name of the app; an ephemeral one without gets a free one like the script's. */
    name: optional(Type.String()),
    /** Defaults to the server's own. */
    organisation: optional(Type.String()),
    inspection: InspectionFields,
    /** Configuration after flags and defaults, without secrets. */
    config: AppConfig,
    bundle: Type.Object(
      {
        /** Path of the script among the files. */
        script: Type.String(),
        files: Type.Array(BundleFile),
      },
      closed,
    ),
    /** Values frozen with the revision, encrypted: script variables that look like secrets. */
    secrets: optional(texts),
    /** Variables and secrets taken over from the active revision, with the values of its own secrets. */
    kept: optional(Type.Array(Type.String())),
    /** Variables and secrets of the active revision that the app loses. */
    unset: optional(Type.Array(Type.String())),
    ...rollout,
    /** Deploys even if nothing changed, and replaces a running deployment. */
    isForced: optional(Type.Boolean()),
    /** Drops the overrides of `apps scale`. */
    resetsScale: optional(Type.Boolean()),
    traffic: optional(TrafficPlan),
    message: optional(Type.String({ maxLength: 2000 })),
    annotations: optional(texts),
  },
  closed,
);
export type DeploymentBody = Static<typeof DeploymentBody>;

/** Body of `POST apps/APP/active`. */
export const ActivateBody = Type.Object(
  {
    /** A revision's name, or `previous` for the one that was active before. */
    revision: Type.String({ minLength: 1, maxLength: 100 }),
    ...rollout,
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
    organisation: optional(Type.String()),
    scope: Type.Enum(["admin", "api", "api:read"]),
    apps: optional(Type.Array(Type.String())),
    description: optional(Type.String({ maxLength: 200 })),
    /** Milliseconds from now; defaults to never. */
    expiresInMs: optional(milliseconds),
    requestsPerMinute: optional(Type.Integer({ minimum: 1 })),
  },
  closed,
);
export type KeyBody = Static<typeof KeyBody>;

export const EnvironmentBody = Type.Object(
  { name: Type.String({ maxLength: 64 }), description: optional(Type.String({ maxLength: 200 })) },
  closed,
);
export type EnvironmentBody = Static<typeof EnvironmentBody>;

export const PromoteBody = Type.Object(
  {
    /** Environment that gets the app's active revision. */
    to: Type.String({ minLength: 1, maxLength: 64 }),
    ...rollout,
  },
  closed,
);
export type PromoteBody = Static<typeof PromoteBody>;

export const RotateBody = Type.Object({ graceMs: milliseconds }, closed);
export type RotateBody = Static<typeof RotateBody>;

export const StopBody = Type.Object(
  { drain: Type.Boolean(), keepReplicas: Type.Boolean() },
  closed,
);
export type StopBody = Static<typeof StopBody>;

/** Query of `POST replicas/REPLICA/shell`. */
export const ShellQuery = Type.Object(
  {
    rows: Type.String({ pattern: "^[1-9][0-9]{0,3}$" }),
    columns: Type.String({ pattern: "^[1-9][0-9]{0,3}$" }),
    /** Type of the terminal, such as `xterm-256color`. */
    type: Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}$" }),
  },
  closed,
);
export type ShellQuery = Static<typeof ShellQuery>;

/** One line of the body of `POST replicas/REPLICA/shell`. */
export const ShellInput = Type.Union([
  Type.Object({ keysBase64: Type.String({ pattern: "^[A-Za-z0-9+/]*={0,2}$" }) }, closed),
  Type.Object(
    {
      rows: Type.Integer({ minimum: 1, maximum: 9999 }),
      columns: Type.Integer({ minimum: 1, maximum: 9999 }),
    },
    closed,
  ),
]);
export type ShellInput = Static<typeof ShellInput>;

/** Query of `POST replicas/REPLICA/forward`. */
export const ForwardQuery = Type.Object(
  { port: Type.String({ pattern: "^[1-9][0-9]{0,4}$" }) },
  closed,
);
export type ForwardQuery = Static<typeof ForwardQuery>;
