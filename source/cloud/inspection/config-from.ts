// Configuration of a revision, from the script, flags and defaults.
import {
  type AppConfig,
  defaultLimits,
  defaultScale,
  type ScaleSettings,
  sleepFault,
  type TimeLimits,
} from "../app-config.ts";
import { defaultMultiplexing } from "./batching-server.ts";
import { ConfigKeywords } from "./config-keywords.ts";
import { looksSecret } from "./environment-snapshot.ts";
import { type HardwareFlags, hardwareFrom } from "./hardware-from.ts";
import type { Inspection } from "./inspection.ts";

type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

/** Fields that a flag sets as they are. */
type PlainFields =
  | "auth"
  | "exposedPort"
  | "healthPath"
  | "healthStatus"
  | "coldStart"
  | "sseKeepAliveMs"
  | "modelsCache"
  | "earlyStream"
  | "portRewrite"
  | "upstreamAuthorizationSecret";

/** Values of flags; undefined falls back to the script, then to the default. */
export interface ConfigFlags extends HardwareFlags, Optional<Pick<AppConfig, PlainFields>> {
  /** Overrides variables that the script reads. */
  environment?: Record<string, string> | undefined;
  /** Added to the secrets that the script names. */
  secretNames?: readonly string[] | undefined;
  /** Added to the script's requirements. */
  requirements?: readonly string[] | undefined;
  /**
   * "pip" adds packages that an image installs with pip to the requirements. Defaults to "pip" for
   * Modal, whose scripts name their packages nowhere else, and to "ignore" for others.
   */
  imageMode?: "pip" | "ignore" | undefined;
  scale?: Partial<ScaleSettings> | undefined;
  limits?: Partial<TimeLimits> | undefined;
  noWakePaths?: readonly string[] | undefined;
}

const defaultPort = 8000;
/** Default port of `serve=True` and of fal.App. */
const defaultServedPort = 8080;
const defaultHealthPath = "/health";
const defaultNoWakePaths = ["/health", "/metrics"];
const authModes = ["private", "shared", "public"] as const;
const serverPackages = ["fastapi", "uvicorn", "websockets"];
const largestPort = 65_535;
const statusRange = { least: 100, most: 599 };

/**
 * @throws ProductError `CLOUD_CONFIG_INVALID` for a keyword of the wrong type, out of range, or
 * neither constant nor given by a flag
 */
export function configFrom(inspection: Inspection, flags: ConfigFlags = {}): AppConfig {
  const keywords = new ConfigKeywords(inspection);
  const isServed = inspection.kind === "app" || keywords.flag("serve");
  const imageMode = flags.imageMode ?? defaultImageMode(inspection);
  const portRange = { least: 1, most: largestPort };
  return {
    kind: kindOf(inspection, keywords),
    exposedPort:
      flags.exposedPort ??
      keywords.number("exposed_port", portRange) ??
      keywords.number("port", portRange) ??
      (isServed ? defaultServedPort : defaultPort),
    healthPath: flags.healthPath ?? healthPathOf(keywords),
    healthStatus: flags.healthStatus ?? keywords.number("health_status", statusRange),
    auth:
      flags.auth ??
      keywords.choice("auth", authModes) ??
      keywords.choice("app_auth", authModes) ??
      "private",
    scale: scaleOf(inspection, keywords, flags.scale ?? {}),
    limits: limitsOf(keywords, flags.limits ?? {}),
    hardware: hardwareFrom(keywords, flags),
    requirements: unique([
      ...withServer(keywords.texts("requirements") ?? [], inspection.dialect === "fal" && isServed),
      ...(imageMode === "pip" ? (inspection.image?.pip ?? []) : []),
      ...(flags.requirements ?? []),
    ]),
    environment: environmentOf(inspection, keywords, flags.environment ?? {}),
    secretNames: unique([...(keywords.texts("secrets") ?? []), ...(flags.secretNames ?? [])]),
    givenVariables: givenVariablesOf(inspection, flags),
    executables: inspection.executables,
    coldStart: flags.coldStart ?? keywords.choice("cold_start", ["wait", "fail"]) ?? "wait",
    noWakePaths: [...(flags.noWakePaths ?? keywords.texts("no_wake_paths") ?? defaultNoWakePaths)],
    sseKeepAliveMs: flags.sseKeepAliveMs ?? keywords.seconds("sse_keepalive"),
    // Omits false: an explicit false and no value make the same revision.
    modelsCache: (flags.modelsCache ?? keywords.flag("models_cache")) || undefined,
    earlyStream: (flags.earlyStream ?? keywords.flag("early_stream")) || undefined,
    portRewrite:
      flags.portRewrite ?? keywords.choice("port_rewrite", ["auto", "argv", "none"]) ?? "auto",
    upstreamAuthorizationSecret:
      flags.upstreamAuthorizationSecret ?? keywords.text("upstream_authorization"),
  };
}

function defaultImageMode({ dialect }: Inspection): "pip" | "ignore" {
  return dialect === "modal" ? "pip" : "ignore";
}

/** Adds the server that fal's own environments bring along, if the app has one of its own. */
function withServer(requirements: readonly string[], isServed: boolean): readonly string[] {
  if (!isServed || requirements.length === 0) return requirements;
  const names = requirements.map((one) => one.replace(/[^\w.-].*$/, "").toLowerCase());
  return [...requirements, ...serverPackages.filter((name) => !names.includes(name))];
}

function kindOf(inspection: Inspection, keywords: ConfigKeywords): AppConfig["kind"] {
  if (inspection.kind === "app") return "app";
  if (inspection.dialect !== "fal") return "function";
  const kind = keywords.choice("kind", ["container", "virtualenv", "conda", "local"]);
  return kind === "container" ? "container" : "virtualenv";
}

function healthPathOf(keywords: ConfigKeywords): string {
  const path = keywords.text("health_path") ?? defaultHealthPath;
  if (path.startsWith("/")) return path;
  throw keywords.invalid("health_path", `is ${path}, which does not start with a slash`);
}

function scaleOf(
  inspection: Inspection,
  keywords: ConfigKeywords,
  flags: Partial<ScaleSettings>,
): ScaleSettings {
  const set = {
    minConcurrency: flags.minConcurrency ?? keywords.number("min_concurrency"),
    maxConcurrency: flags.maxConcurrency ?? keywords.number("max_concurrency", { least: 1 }),
    concurrencyBuffer: flags.concurrencyBuffer ?? keywords.number("concurrency_buffer"),
    concurrencyBufferPerc:
      flags.concurrencyBufferPerc ?? keywords.number("concurrency_buffer_perc"),
    maxMultiplexing: flags.maxMultiplexing ?? multiplexingOf(keywords),
    targetUtilization: flags.targetUtilization ?? utilizationOf(keywords),
    scalingDelayMs: flags.scalingDelayMs ?? keywords.seconds("scaling_delay"),
    keepAliveMs: flags.keepAliveMs ?? keywords.seconds("keep_alive"),
    sleepAfterMs: flags.sleepAfterMs ?? keywords.seconds("sleep_after"),
    stopAfterMs: flags.stopAfterMs ?? keywords.seconds("stop_after"),
    maxStarting: flags.maxStarting ?? keywords.number("max_starting", { least: 1 }),
  };
  const maxMultiplexing = defaultMultiplexing(inspection);
  const scale = withDefaults(set, { ...defaultScale, maxMultiplexing });
  const { minConcurrency, concurrencyBuffer } = scale;
  if (set.maxConcurrency === undefined) {
    scale.maxConcurrency = Math.max(scale.maxConcurrency, minConcurrency, concurrencyBuffer);
  }
  const fault = sleepFault(scale);
  if (fault !== undefined) throw keywords.invalid("stop_after", fault);
  if (minConcurrency <= scale.maxConcurrency) return scale;
  const most = `the maximum number of replicas, ${scale.maxConcurrency}`;
  throw keywords.invalid("min_concurrency", `is ${minConcurrency}, above ${most}`);
}

function withDefaults<T extends object>(set: Optional<T>, defaults: T): T {
  const values = Object.entries(set).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(values) };
}

function multiplexingOf(keywords: ConfigKeywords): number | undefined {
  return keywords.number("max_multiplexing", { least: 1 }) ?? targetInputsOf(keywords);
}

function utilizationOf(keywords: ConfigKeywords): number | undefined {
  const target = targetInputsOf(keywords);
  const most = keywords.number("max_multiplexing", { least: 1 });
  if (target !== undefined && most !== undefined) return Math.min(1, target / most);
  return keywords.number("target_utilization", { least: 0.05, most: 1, isWhole: false });
}

/** Reads the concurrent requests at which Modal starts another replica. */
function targetInputsOf(keywords: ConfigKeywords): number | undefined {
  return keywords.number("target_inputs", { least: 1 });
}

function limitsOf(keywords: ConfigKeywords, flags: Partial<TimeLimits>): TimeLimits {
  const set = {
    startupTimeoutMs: flags.startupTimeoutMs ?? keywords.seconds("startup_timeout"),
    requestTimeoutMs: flags.requestTimeoutMs ?? keywords.seconds("request_timeout"),
    drainTimeoutMs: flags.drainTimeoutMs ?? keywords.seconds("drain_timeout"),
    terminationGraceMs:
      flags.terminationGraceMs ??
      keywords.seconds("termination_grace") ??
      keywords.seconds("termination_grace_period_seconds"),
    // To fal, 0 means no limit of its own.
    requestStartTimeoutMs: keywords.seconds("request_start_timeout") || undefined,
  };
  return withDefaults(set, defaultLimits);
}

function environmentOf(
  { image, env_read }: Inspection,
  keywords: ConfigKeywords,
  flags: Record<string, string>,
): Record<string, string> {
  const own = keywords.pairs("env") ?? {};
  const read = new Set(env_read.map(({ name }) => name));
  const open = Object.keys(own).find((name) => looksSecret(name) && !read.has(name));
  if (open !== undefined) {
    throw keywords.invalid(
      "env",
      `contains ${open}, which looks like a secret`,
      `Store it with \`deployctl secrets set ${open}\`, and use --secret ${open}.`,
    );
  }
  const entries = [
    ...Object.entries(image?.env ?? {}),
    ...Object.entries(own),
    ...env_read.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
  ];
  // Secret values are stored with the secrets and come from there.
  return { ...Object.fromEntries(entries.filter(([name]) => !looksSecret(name))), ...flags };
}

/** Returns names of variables whose values the script does not contain, and of secrets. */
function givenVariablesOf(
  { env_read }: Inspection,
  { environment = {}, secretNames = [] }: ConfigFlags,
): string[] | undefined {
  const read = env_read.filter(({ name, value }) => value !== undefined && !looksSecret(name));
  const names = [...read.map(({ name }) => name), ...Object.keys(environment), ...secretNames];
  return names.length === 0 ? undefined : unique(names).sort();
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
