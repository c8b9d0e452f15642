// Configuration of a revision, from the script, flags and defaults.
import { ProductError } from "../../base/product-error.ts";
import {
  type AppConfig,
  type AuthMode,
  defaultLimits,
  defaultScale,
  type HardwareNeeds,
  type ScaleSettings,
  type TimeLimits,
} from "../app-config.ts";
import { cloudErrors } from "../errors.ts";
import { batchingMultiplexing, batchingServer } from "./batching-server.ts";
import { ConfigKeywords } from "./config-keywords.ts";
import { looksSecret } from "./environment-snapshot.ts";
import type { Inspection } from "./inspection.ts";

/** Values of flags; undefined falls back to the script, then to the default. */
export interface ConfigFlags {
  auth?: AuthMode | undefined;
  exposedPort?: number | undefined;
  healthPath?: string | undefined;
  healthStatus?: number | undefined;
  /** "any" accepts any machine and reserves no GPU. */
  machineType?: string | undefined;
  gpuCount?: number | undefined;
  /** Overrides variables that the script reads. */
  environment?: Record<string, string> | undefined;
  /** Added to the secrets that the script names. */
  secretNames?: readonly string[] | undefined;
  /** Added to the script's requirements. */
  requirements?: readonly string[] | undefined;
  /**
   * "pip" adds packages that an image installs with pip to the requirements. Defaults to "ignore".
   */
  imageMode?: "pip" | "ignore" | undefined;
  scale?: Partial<ScaleSettings> | undefined;
  limits?: Partial<TimeLimits> | undefined;
  coldStart?: "wait" | "fail" | undefined;
  noWakePaths?: readonly string[] | undefined;
  sseKeepAliveMs?: number | undefined;
  modelsCache?: boolean | undefined;
  earlyStream?: boolean | undefined;
  portRewrite?: AppConfig["portRewrite"] | undefined;
  upstreamAuthorizationSecret?: string | undefined;
}

const defaultPort = 8000;
/** Default port of `serve=True` and of fal.App. */
const defaultServedPort = 8080;
const defaultHealthPath = "/health";
const defaultNoWakePaths = ["/health", "/metrics"];
const authModes = ["private", "shared", "public"] as const;
const largestPort = 65_535;
const statusRange = { least: 100, most: 599 };

/**
 * @throws ProductError `CLOUD_CONFIG_INVALID` for a keyword of the wrong type, out of range, or
 * neither constant nor given by a flag; `CLOUD_SCRIPT_INVALID` for a script of another platform
 */
export function configFrom(inspection: Inspection, flags: ConfigFlags = {}): AppConfig {
  if (inspection.dialect === "modal") throw unsupportedModal(inspection);
  const keywords = new ConfigKeywords(inspection);
  const isServed = inspection.kind === "app" || keywords.flag("serve");
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
    hardware: hardwareOf(keywords, flags),
    requirements: unique([
      ...(keywords.texts("requirements") ?? []),
      ...(flags.imageMode === "pip" ? (inspection.image?.pip ?? []) : []),
      ...(flags.requirements ?? []),
    ]),
    environment: environmentOf(inspection, keywords, flags.environment ?? {}),
    secretNames: unique([...(keywords.texts("secrets") ?? []), ...(flags.secretNames ?? [])]),
    executables: inspection.executables,
    coldStart: flags.coldStart ?? keywords.choice("cold_start", ["wait", "fail"]) ?? "wait",
    noWakePaths: [...(flags.noWakePaths ?? keywords.texts("no_wake_paths") ?? defaultNoWakePaths)],
    sseKeepAliveMs: flags.sseKeepAliveMs ?? keywords.seconds("sse_keepalive"),
    // Omits false, so that saying it or not makes the same revision.
    modelsCache: (flags.modelsCache ?? keywords.flag("models_cache")) || undefined,
    earlyStream: (flags.earlyStream ?? keywords.flag("early_stream")) || undefined,
    portRewrite:
      flags.portRewrite ?? keywords.choice("port_rewrite", ["auto", "argv", "none"]) ?? "auto",
    upstreamAuthorizationSecret:
      flags.upstreamAuthorizationSecret ?? keywords.text("upstream_authorization"),
  };
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
  throw invalid(keywords, "health_path", `is ${path}, which does not start with a slash`);
}

function scaleOf(
  inspection: Inspection,
  keywords: ConfigKeywords,
  flags: Partial<ScaleSettings>,
): ScaleSettings {
  const batches = inspection.dialect !== "fal" && batchingServer(inspection.command) !== undefined;
  const read = <Name extends keyof ScaleSettings>(name: Name, of: () => number | undefined) =>
    flags[name] ?? of();
  const minConcurrency =
    read("minConcurrency", () => keywords.number("min_concurrency")) ?? defaultScale.minConcurrency;
  const concurrencyBuffer =
    read("concurrencyBuffer", () => keywords.number("concurrency_buffer")) ??
    defaultScale.concurrencyBuffer;
  const maxConcurrency =
    read("maxConcurrency", () => keywords.number("max_concurrency", { least: 1 })) ??
    Math.max(defaultScale.maxConcurrency, minConcurrency, concurrencyBuffer);
  if (minConcurrency > maxConcurrency) {
    const fault = `is ${minConcurrency}, above the maximum number of replicas, ${maxConcurrency}`;
    throw invalid(keywords, "min_concurrency", fault);
  }
  return {
    minConcurrency,
    maxConcurrency,
    concurrencyBuffer,
    concurrencyBufferPerc:
      read("concurrencyBufferPerc", () => keywords.number("concurrency_buffer_perc")) ??
      defaultScale.concurrencyBufferPerc,
    maxMultiplexing:
      read("maxMultiplexing", () => keywords.number("max_multiplexing", { least: 1 })) ??
      (batches ? batchingMultiplexing : defaultScale.maxMultiplexing),
    targetUtilization:
      read("targetUtilization", () =>
        keywords.number("target_utilization", { least: 0.05, most: 1, isWhole: false }),
      ) ?? defaultScale.targetUtilization,
    scalingDelayMs:
      read("scalingDelayMs", () => keywords.seconds("scaling_delay")) ??
      defaultScale.scalingDelayMs,
    keepAliveMs:
      read("keepAliveMs", () => keywords.seconds("keep_alive")) ?? defaultScale.keepAliveMs,
    maxStarting:
      read("maxStarting", () => keywords.number("max_starting", { least: 1 })) ??
      defaultScale.maxStarting,
  };
}

function limitsOf(keywords: ConfigKeywords, flags: Partial<TimeLimits>): TimeLimits {
  return {
    startupTimeoutMs:
      flags.startupTimeoutMs ??
      keywords.seconds("startup_timeout") ??
      defaultLimits.startupTimeoutMs,
    requestTimeoutMs:
      flags.requestTimeoutMs ??
      keywords.seconds("request_timeout") ??
      defaultLimits.requestTimeoutMs,
    drainTimeoutMs:
      flags.drainTimeoutMs ?? keywords.seconds("drain_timeout") ?? defaultLimits.drainTimeoutMs,
    terminationGraceMs:
      flags.terminationGraceMs ??
      keywords.seconds("termination_grace") ??
      keywords.seconds("termination_grace_period_seconds") ??
      defaultLimits.terminationGraceMs,
  };
}

function hardwareOf(keywords: ConfigKeywords, flags: ConfigFlags): HardwareNeeds {
  if (flags.machineType?.toLowerCase() === "any") {
    return { machineType: flags.machineType, gpuCount: flags.gpuCount ?? 0 };
  }
  const [gpu, gpus] = gpuOf(keywords);
  const machineType =
    flags.machineType ??
    gpu ??
    keywords.firstText("machine_type") ??
    keywords.firstText("machine_types");
  return { machineType, gpuCount: flags.gpuCount ?? gpus ?? keywords.number("num_gpus") ?? 0 };
}

/** Parses `gpu="H100:2"`: part of the GPU's name, and the count. */
function gpuOf(keywords: ConfigKeywords): [string | undefined, number | undefined] {
  const text = keywords.text("gpu");
  if (text === undefined) return [undefined, undefined];
  const [, name = "", count] = /^([\w. -]+?)(?::(\d+))?$/.exec(text) ?? [];
  if (name === "" || count === "0") {
    throw invalid(keywords, "gpu", `is ${text}; expected a name such as H100 or H100:2`);
  }
  const gpus = count === undefined ? 1 : Number(count);
  return name.toLowerCase() === "any" ? ["GPU", gpus] : [`GPU-${name.replace(/^GPU-/i, "")}`, gpus];
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
    throw invalid(
      keywords,
      "env",
      `contains ${open}, which looks like a secret`,
      `Store it with \`deployctl secrets set ${open}\` and refer to it with secrets=["${open}"].`,
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

function unsupportedModal({ target, line }: Inspection): ProductError {
  return new ProductError(cloudErrors.scriptInvalid, {
    message: `${target} (line ${line}) is a Modal script, which is not supported yet.`,
    hint: "Put @deployctl.app(port=8000) above a function that starts the same server.",
  });
}

function invalid(
  keywords: ConfigKeywords,
  name: string,
  fault: string,
  hint = "Fix the value.",
): ProductError {
  const message = `${keywords.place(name)} ${fault}.`;
  return new ProductError(cloudErrors.configInvalid, { message, hint, param: name });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
