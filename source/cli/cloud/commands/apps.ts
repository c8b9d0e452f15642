// deployctl apps list, show, runners, scale, pause, resume, delete.
import { toOneLine } from "../../../base/display-text.ts";
import { formatGoDuration, formatRelativeTime } from "../../../base/formats.ts";
import { exitCodes } from "../../../base/product-error.ts";
import type { AppDetails, AppDocument } from "../../../cloud/admin/documents.ts";
import type { AppConfig, HardwareNeeds, ScaleSettings } from "../../../cloud/app-config.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels, formatTable } from "../../table.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { appReference, readScale } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type {
  appRunnersDefinition,
  deleteAppDefinition,
  listAppsDefinition,
  pauseAppDefinition,
  resumeAppDefinition,
  scaleAppDefinition,
  showAppDefinition,
} from "./apps.definition.ts";
import { printReplicas } from "./runners.ts";

/** Flags by the settings that they change. */
const scaleLabels: Readonly<Record<keyof ScaleSettings, string>> = {
  minConcurrency: "min-concurrency",
  maxConcurrency: "max-concurrency",
  concurrencyBuffer: "concurrency-buffer",
  concurrencyBufferPerc: "concurrency-buffer-perc",
  maxMultiplexing: "max-multiplexing",
  targetUtilization: "target-utilization",
  scalingDelayMs: "scaling-delay",
  keepAliveMs: "keep-alive",
  maxStarting: "max-starting",
};

const labelWidth = 25;

export const listApps: Run<typeof listAppsDefinition> = async ([prefix = ""], flags) => {
  const all = await clientOf(openSession(flags)).apps();
  const apps = all.filter(({ app }) => app.startsWith(prefix));
  const rows = apps.map((app) => [
    nameOf(app),
    app.state,
    app.auth,
    app.activeRevision ?? "-",
    `${app.replicas.ready}/${app.replicas.alive}`,
    String(app.inFlight),
    String(app.queued),
    app.url,
  ]);
  const headers = ["app", "state", "auth", "revision", "ready", "running", "queued", "url"];
  printAnswer(flags, {
    document: { apps },
    text: formatTable(headers, rows) + reasons(apps),
    names: apps.map(nameOf),
  });
  return exitCodes.ok;
};

export const showApp: Run<typeof showAppDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const client = clientOf(session);
  const reference = appReference(session, name);
  const [app, variables] = await Promise.all([client.app(reference), client.variables(reference)]);
  const set = variables.map(({ name }) => name);
  printAnswer(flags, { document: app, text: detailsText(app, set), names: [nameOf(app)] });
  return exitCodes.ok;
};

export const appRunners: Run<typeof appRunnersDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  printReplicas(flags, await clientOf(session).replicas(app));
  return exitCodes.ok;
};

export const scaleApp: Run<typeof scaleAppDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  const change = readScale(flags);
  const isChange = Object.keys(change).length > 0;
  if (isChange === (flags.reset === true)) {
    throw usageError(
      isChange ? "--reset cannot be combined with other flags." : "apps scale needs a flag.",
      "deployctl apps scale APP --max-concurrency 4, or --reset",
    );
  }
  const client = clientOf(session);
  const document = isChange ? await client.scale(app, change) : await client.resetScale(app);
  const rows = scaleRows(document.scale, document.overrides);
  printAnswer(flags, {
    document,
    text: formatLabels(rows, labelWidth),
    names: [app],
  });
  return exitCodes.ok;
};

export const pauseApp: Run<typeof pauseAppDefinition> = async ([name], flags) =>
  await changeState("pause", name, flags);

export const resumeApp: Run<typeof resumeAppDefinition> = async ([name], flags) =>
  await changeState("resume", name, flags);

export const deleteApp: Run<typeof deleteAppDefinition> = async ([name], flags) => {
  const session = openSession(flags);
  const app = appReference(session, name);
  await clientOf(session).deleteApp(app);
  printAnswer(flags, { document: { app, deleted: true }, text: `deleted ${app}\n`, names: [app] });
  return exitCodes.ok;
};

async function changeState(what: "pause" | "resume", name: string, flags: Flags): Promise<number> {
  const session = openSession(flags);
  const app = appReference(session, name);
  const client = clientOf(session);
  const document = what === "pause" ? await client.pause(app) : await client.resume(app);
  printAnswer(flags, { document, text: `${app} is ${document.state}\n`, names: [app] });
  return exitCodes.ok;
}

function nameOf({ organisation, app }: AppDocument): string {
  return `${organisation}/${app}`;
}

/** Returns a line for each unhealthy app. */
export function reasons(apps: readonly AppDocument[]): string {
  const bad = apps.filter(({ reason }) => reason !== undefined);
  if (bad.length === 0) return "";
  return `\n${bad.map((app) => `${nameOf(app)}: ${toOneLine(app.reason ?? "")}\n`).join("")}`;
}

/** @param set variables that override those of the revision */
function detailsText(app: AppDetails, set: readonly string[]): string {
  const now = Date.now();
  const { config, message, createdAt } = app.revision ?? {};
  const { replicas, rollout } = app;
  const rows: (readonly [string, string])[] = [
    ["State", app.reason === undefined ? app.state : `${app.state}: ${app.reason}`],
    ["URL", app.url],
    ["Auth", app.auth],
    ["Replicas", `${replicas.ready} ready, ${replicas.alive} alive, ${replicas.wanted} wanted`],
    ["Requests", `${app.inFlight} running, ${app.queued} queued`],
    ["Revision", app.activeRevision ?? "none"],
    ...(createdAt === undefined ? [] : [["Deployed", formatRelativeTime(createdAt, now)] as const]),
    ...(message === undefined ? [] : [["Message", message] as const]),
    ...(rollout === undefined
      ? []
      : [
          [
            "Rollout",
            `${rollout.revision} (${rollout.strategy}), since ${formatRelativeTime(rollout.since, now)}`,
          ] as const,
        ]),
    ...(config === undefined
      ? []
      : [
          ["Port", `${config.exposedPort}, readiness at ${readinessText(config)}`] as const,
          ["Hardware", hardwareText(config.hardware)] as const,
          ["While it sleeps", coldText(config)] as const,
          ["Variables", variablesText(Object.keys(config.environment), set)] as const,
          ["Secrets", config.secretNames.join(", ") || "none"] as const,
        ]),
    ...scaleRows(app.scale, app.overrides),
  ];
  return `${nameOf(app)}\n\n${formatLabels(rows, labelWidth, "  ")}`;
}

function readinessText({ healthPath, healthStatus }: AppConfig): string {
  return healthStatus === undefined ? healthPath : `${healthPath} (${healthStatus})`;
}

function variablesText(ofRevision: readonly string[], set: readonly string[]): string {
  const own = ofRevision.filter((name) => !set.includes(name));
  return [...own, ...set.map((name) => `${name} (set by env set)`)].join(", ") || "none";
}

/** Describes responses while an app has no replica. */
function coldText({ coldStart, modelsCache, earlyStream }: AppConfig): string {
  return [
    `requests ${coldStart}`,
    ...(modelsCache === true ? ["/v1/models from the last reply"] : []),
    ...(earlyStream === true ? ["streams begin early"] : []),
  ].join(", ");
}

/** Lists the machine types in order: "GPU-H100, else GPU-A100, 2 GPUs". */
function hardwareText({ machineType = "any machine", gpuCount, alternatives = [] }: HardwareNeeds) {
  const types = [machineType, ...alternatives.map((choice) => choice.machineType)];
  const gpus = gpuCount === 0 ? "no GPU" : gpuCount === 1 ? "1 GPU" : `${gpuCount} GPUs`;
  return `${types.join(", else ")}, ${gpus}`;
}

/** @param overrides settings of `apps scale` */
function scaleRows(
  scale: ScaleSettings,
  overrides: readonly (keyof ScaleSettings)[],
): (readonly [string, string])[] {
  const names = Object.keys(scaleLabels) as (keyof ScaleSettings)[];
  return names.map((name) => {
    const value = scale[name];
    const text = name.endsWith("Ms") && value > 0 ? formatGoDuration(value) : String(value);
    return [
      scaleLabels[name],
      overrides.includes(name) ? `${text} (set by apps scale)` : text,
    ] as const;
  });
}
