// Flags that several commands of deployctl share; a command's definition adds its own.
import type { screenFlags } from "../flags.ts";
import type { CommandTable, FlagsOf, FlagTable } from "../program/definition.ts";

/** For every command. */
export const commonFlags = {
  json: { type: "boolean", text: "Print one JSON document; progress goes to standard error" },
  quiet: { type: "boolean", text: "Print names only, and no progress" },
  color: { type: "boolean", text: "Print without colours (NO_COLOR)", isNegated: true },
  profile: {
    type: "string",
    value: "NAME",
    text: "Settings to use (DEPLOYCTL_PROFILE); see deployctl profile list",
    completes: "profile",
  },
  server: {
    type: "string",
    value: "URL",
    text: "Admin address of a server; default the one of this machine",
  },
  key: { type: "string", value: "KEY", text: "Admin key for that server (DEPLOYCTL_ADMIN_KEY)" },
  ca: { type: "string", value: "FILE", text: "Certificate authority of that server, as PEM" },
  environment: {
    type: "string",
    value: "NAME",
    text: "Environment of apps, secrets and keys; default main. See deployctl environments list",
    completes: "environment",
  },
  stateDir: {
    type: "string",
    value: "FOLDER",
    text: "Folder where this machine's server keeps its state",
  },
} as const satisfies FlagTable;

/** Adds the flags for every command to each definition. */
export function withCommonFlags<const Table extends CommandTable>(
  table: Table,
): { [Name in keyof Table]: Table[Name] & { flags: typeof commonFlags } } {
  const definitions = Object.entries(table).map(([name, definition]) => [
    name,
    { ...definition, flags: { ...definition.flags, ...commonFlags } },
  ]);
  return Object.fromEntries(definitions);
}

export const orgFlag = {
  org: {
    type: "string",
    value: "NAME",
    text: "Organisation, the first part of every path; default local",
  },
} as const satisfies FlagTable;

/** Flags that start a server. */
export const serverFlags = {
  ...orgFlag,
  listen: {
    type: "string",
    value: "HOST:PORT",
    text: "Address of the gateway; default 127.0.0.1:8480",
  },
  adminListen: {
    type: "string",
    value: "HOST:PORT",
    text: "Also accept commands here, with an admin key; default only on this machine",
  },
  baseUrl: { type: "string", value: "URL", text: "URL that callers use; printed in every address" },
  tls: {
    type: "string",
    value: "MODE",
    text: "HTTPS with a certificate of the server's own authority; see deployctl tls trust",
    values: ["self-signed"],
  },
  tlsCert: { type: "string", value: "FILE", text: "HTTPS with this certificate" },
  tlsKey: { type: "string", value: "FILE", text: "Private key of --tls-cert" },
  behindProxy: {
    type: "string",
    value: "CIDR",
    text: "Trust X-Forwarded headers from these addresses, such as 10.0.0.0/8,127.0.0.1/32",
  },
  insecureHttp: { type: "boolean", text: "Plain HTTP to other machines: keys travel unencrypted" },
  portRange: { type: "string", value: "FROM-TO", text: "Ports for replicas; default 20000-29999" },
  remoteShell: {
    type: "string",
    value: "MODE",
    text: "Open shells and forward ports for other machines too, with an admin key; default off",
    values: ["on", "off"],
  },
  queueExpiry: {
    type: "string",
    value: "TIME",
    text: "Time to start a queued request, and to keep its result; default 24h",
  },
  queueRequestSize: {
    type: "string",
    value: "SIZE",
    text: "Largest body of a queued request; default 16MiB",
  },
  queueResultSize: {
    type: "string",
    value: "SIZE",
    text: "Largest result of a queued request; default 32MiB",
  },
  queueStorage: {
    type: "string",
    value: "SIZE",
    text: "Room on disk for queued requests and results; default 4GiB",
  },
  webhookNetworks: {
    type: "string",
    value: "CIDR",
    text: "Also send webhooks to these networks, such as 10.0.0.0/8,127.0.0.1/32",
  },
} as const satisfies FlagTable;

/** The app that a script makes. */
export const scriptFlags = {
  appName: { type: "string", value: "NAME", text: "Name of the app, the second part of its path" },
  auth: {
    type: "string",
    value: "MODE",
    text: "private: the organisation's keys; shared: any key of the server; public: everybody",
    values: ["private", "shared", "public"],
  },
  ...orgFlag,
  env: { type: "strings", value: "K=V", text: "Environment variable of every replica" },
  secret: {
    type: "strings",
    value: "NAME",
    text: "Secret that every replica gets as a variable",
    completes: "secret",
  },
  include: { type: "strings", value: "PATH", text: "File or folder to upload too" },
  requirement: { type: "strings", value: "PACKAGE", text: "Python package to install" },
  imageMode: {
    type: "string",
    value: "MODE",
    text: "Install the packages from the image's 'RUN pip install' lines",
    values: ["pip", "ignore"],
  },
  static: { type: "boolean", text: "Only parse the script; never run its top level" },
  yesRun: { type: "boolean", text: "Run the script's top level even without a sandbox" },
  port: {
    type: "integer",
    value: "PORT",
    text: "Port that the script serves; default from the script",
    least: 1,
    most: 65_535,
  },
  healthPath: { type: "string", value: "PATH", text: "Path for readiness checks; default /health" },
  healthStatus: {
    type: "integer",
    value: "STATUS",
    text: "Status of that path once the app is ready; default any below 500",
    least: 100,
    most: 599,
  },
  machineType: {
    type: "string",
    value: "TYPE",
    text: "Hardware to request instead of the script's; any accepts what is available",
  },
  gpus: { type: "integer", text: "GPUs per replica", least: 0, most: 64 },
} as const satisfies FlagTable;

const multiplexing = {
  maxMultiplexing: {
    type: "integer",
    text: "Concurrent requests per replica",
    least: 1,
    most: 1_000_000,
  },
} as const satisfies FlagTable;

export const scaleFlags = {
  minConcurrency: { type: "integer", text: "Minimum replicas", least: 0, most: 1000 },
  maxConcurrency: { type: "integer", text: "Maximum replicas", least: 1, most: 1000 },
  concurrencyBuffer: { type: "integer", text: "Spare replicas", least: 0, most: 1000 },
  concurrencyBufferPerc: {
    type: "integer",
    value: "PERCENT",
    text: "Spare replicas, as a share of the demand",
    least: 0,
    most: 1000,
  },
  ...multiplexing,
  scalingDelay: { type: "time", text: "Time that a request waits before the app grows" },
  keepAlive: { type: "time", text: "Time that an idle replica stays; default 60s" },
  sleepAfter: {
    type: "time",
    text: "Idle time after which vLLM or modelctl sleeps, until the next request; default never",
  },
  stopAfter: {
    type: "time",
    text: "Idle time after which a sleeping replica is stopped; default 1h",
  },
} as const satisfies FlagTable;

export const limitFlags = {
  startupTimeout: { type: "time", text: "Time for a replica to become ready; default 900s" },
  requestTimeout: { type: "time", text: "Time for a request; default 3600s; 0: none" },
  drainTimeout: {
    type: "time",
    text: "Time for running requests of a stopping replica; default 600s",
  },
  coldStart: {
    type: "string",
    value: "MODE",
    text: "Let requests to a sleeping app",
    values: ["wait", "fail"],
  },
  sseKeepalive: {
    type: "time",
    text: "Send a comment in event streams that are silent this long, such as 15s",
  },
  modelsCache: {
    type: "string",
    bare: "on",
    text: "Answer /v1/models of a sleeping app from its last reply, without starting it",
    values: ["on", "off"],
  },
  earlyStream: {
    type: "string",
    bare: "on",
    text: "Begin streams to a sleeping app at once, with comments until its replica is ready",
    values: ["on", "off"],
  },
} as const satisfies FlagTable;

/** For `run`, whose single replica never scales. */
export const singleReplicaFlags = {
  ...scriptFlags,
  ...limitFlags,
  ...multiplexing,
} as const satisfies FlagTable;

/** Flags for the change to another revision. */
export const switchFlags = {
  strategy: {
    type: "string",
    value: "STRATEGY",
    text: "rolling: start the new one first; recreate: stop the old one first; default rolling",
    values: ["rolling", "recreate"],
  },
  detach: { type: "boolean", text: "Return once it is built; verification continues" },
  smoke: {
    type: "string",
    value: "REQUEST",
    text: "Request that must succeed before the switch: 'GET /v1/models'",
  },
} as const satisfies FlagTable;

/** Flags for a deployment beside the old revision. */
export const trafficFlags = {
  traffic: {
    type: "string",
    value: "PERCENT[,…]",
    text: "Keep the old revision and give the new one this share; 10,50,100 steps on by itself",
  },
  stepTime: { type: "time", text: "Time at each share of --traffic 10,50,100; default 10m" },
  stepRequests: {
    type: "integer",
    text: "Requests of the new revision that each step needs; default 20",
    least: 1,
    most: 1_000_000,
  },
} as const satisfies FlagTable;

export const logFlags = {
  follow: { type: "boolean", short: "f", text: "Follow the log" },
  since: { type: "time", text: "Only newer lines, such as 15m, 24h or 7d" },
  search: { type: "string", value: "TEXT", text: "Only lines that contain TEXT" },
  lines: { type: "string", value: "N", text: "The last N lines, or all; default 100" },
} as const satisfies FlagTable;

export const revisionFlags = {
  force: {
    type: "boolean",
    text: "Proceed even if nothing changed, or if something is replaced or interrupted",
  },
  message: {
    type: "string",
    value: "TEXT",
    short: "m",
    text: "Description of the change; stored with the revision",
  },
  annotation: { type: "strings", value: "K=V", text: "Note to store with the revision" },
  resetScale: { type: "boolean", text: "Discard settings made by apps scale" },
  unset: {
    type: "strings",
    value: "NAME",
    text: "Drop a variable or secret of an earlier deployment, which is kept otherwise",
  },
  keepSecrets: { type: "boolean", text: "Keep secrets that a changed script does not read" },
} as const satisfies FlagTable;

export const stateFlags = {
  state: {
    type: "string",
    value: "STATE",
    text: "Only runners in this state, or all, which includes ended ones",
    values: [
      ...(["all", "idle", "running", "pending", "preparing", "setup", "asleep", "waking"] as const),
      ...([
        "draining",
        "terminating",
        "crash_backoff",
        "unhealthy",
        "lost",
        "unschedulable",
      ] as const),
      "terminated",
    ],
  },
  since: { type: "time", text: "Only runners started since, such as 15m or 24h" },
} as const satisfies FlagTable;

type SharedFlags = typeof commonFlags &
  typeof screenFlags &
  typeof serverFlags &
  typeof scriptFlags &
  typeof scaleFlags &
  typeof limitFlags &
  typeof switchFlags &
  typeof trafficFlags &
  typeof revisionFlags;

/** Shared flags as typed; what several commands do with them takes this. */
export type Flags = FlagsOf<SharedFlags>;
export type LogFlags = FlagsOf<typeof commonFlags & typeof logFlags> & {
  replica?: string;
  rev?: string;
};
export type StateFlags = FlagsOf<typeof commonFlags & typeof stateFlags>;
