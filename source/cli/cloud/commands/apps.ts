// deployctl apps list, show, runners, scale, pause, resume, delete.
import { shownModel, toOneLine } from "../../../base/display-text.ts";
import { formatGoDuration, formatRelativeTime } from "../../../base/formats.ts";
import type { AppDetails, AppDocument } from "../../../cloud/admin/documents.ts";
import type { AppConfig, HardwareNeeds, ScaleSettings } from "../../../cloud/app-config.ts";
import { environmentOf } from "../../../cloud/app-name.ts";
import { usageError } from "../../errors.ts";
import type { Run } from "../../program/definition.ts";
import { formatLabels, formatTable } from "../../table.ts";
import { callsText, certificateOf, sharesText } from "../deploy-summary.ts";
import type { Flags } from "../flags.ts";
import { printAnswer } from "../print.ts";
import { readScale } from "../read-values.ts";
import { openSession } from "../session.ts";
import { clientOf, listedEnvironment, openApp } from "../target.ts";
import type { appCommands } from "./apps.definition.ts";
import { answersText } from "./logs.ts";
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
  sleepAfterMs: "sleep-after",
  stopAfterMs: "stop-after",
  maxStarting: "max-starting",
};

const labelWidth = 25;

export const listApps: Run<typeof appCommands.listApps> = async ([prefix = ""], flags) => {
  const session = openSession(flags);
  const environment = await listedEnvironment(session);
  const all = await clientOf(session).apps();
  const apps = all
    .filter(({ app }) => app.startsWith(prefix))
    .filter(({ app }) => environment === undefined || environmentOf(app) === environment);
  const rows = apps.map((app) => [
    nameOf(app),
    app.state,
    app.auth,
    app.traffic === undefined ? (app.activeRevision ?? "-") : sharesText(app.traffic.revisions),
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
};

export const showApp: Run<typeof appCommands.showApp> = async ([name], flags) => {
  const { session, client, app: reference } = openApp(flags, name);
  const [app, variables] = await Promise.all([client.app(reference), client.variables(reference)]);
  const set = variables.map(({ name }) => name);
  const hasServed = app.activeRevision !== undefined;
  const calls = hasServed ? `\n${callsText(app, certificateOf(session, app.url))}` : "";
  const text = detailsText(app, set) + calls;
  printAnswer(flags, { document: app, text, names: [nameOf(app)] });
};

export const appRunners: Run<typeof appCommands.appRunners> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  printReplicas(flags, await client.replicas(app));
};

export const scaleApp: Run<typeof appCommands.scaleApp> = async ([name], flags) => {
  const change = readScale(flags);
  const isChange = Object.keys(change).length > 0;
  if (isChange === (flags.reset === true)) {
    throw usageError(
      isChange ? "--reset cannot be combined with other flags." : "apps scale needs a flag.",
      "For example: deployctl apps scale APP --max-concurrency 4, or --reset",
    );
  }
  const { client, app } = openApp(flags, name);
  const document = isChange ? await client.scale(app, change) : await client.resetScale(app);
  const text = formatLabels(scaleRows(document.scale, document.overrides), labelWidth);
  printAnswer(flags, { document, text, names: [app] });
};

export const pauseApp: Run<typeof appCommands.pauseApp> = async ([name], flags) =>
  await changeState("pause", name, flags);

export const resumeApp: Run<typeof appCommands.resumeApp> = async ([name], flags) =>
  await changeState("resume", name, flags);

export const deleteApp: Run<typeof appCommands.deleteApp> = async ([name], flags) => {
  const { client, app } = openApp(flags, name);
  await client.deleteApp(app);
  printAnswer(flags, { document: { app, deleted: true }, text: `deleted ${app}\n`, names: [app] });
};

async function changeState(what: "pause" | "resume", name: string, flags: Flags): Promise<void> {
  const { client, app } = openApp(flags, name);
  const document = what === "pause" ? await client.pause(app) : await client.resume(app);
  printAnswer(flags, { document, text: `${app} is ${document.state}\n`, names: [app] });
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
  const { config, message, createdAt } = app.revision ?? {};
  const { replicas, rollout } = app;
  const rows: [label: string, text: string | undefined][] = [
    ["State", app.reason === undefined ? app.state : `${app.state}: ${app.reason}`],
    ["URL", app.url],
    ["API", app.activeRevision && apiText(app.api)],
    ["Log", app.activeRevision === undefined ? `deployctl logs ${nameOf(app)}` : undefined],
    ["Auth", app.auth],
    ["Replicas", `${replicas.ready} ready, ${replicas.alive} alive, ${replicas.wanted} wanted`],
    ["Requests", `${app.inFlight} running, ${app.queued} queued`],
    ["Revision", app.activeRevision ?? "none"],
    ["Deployed", createdAt === undefined ? undefined : formatRelativeTime(createdAt)],
    ["Message", message],
    ...trafficRows(app.traffic),
    ["Rollout", rollout && rolloutText(rollout)],
    ["Port", config && `${config.exposedPort}, readiness at ${readinessText(config)}`],
    ["Hardware", config && hardwareText(config.hardware)],
    ["While it sleeps", config && coldText(config)],
    ["Variables", config && variablesText(Object.keys(config.environment), set)],
    ["Secrets", config && (config.secretNames.join(", ") || "none")],
    ...scaleRows(app.scale, app.overrides),
  ];
  const known = rows.flatMap(([label, text]) =>
    text === undefined ? [] : [[label, text] as const],
  );
  return `${nameOf(app)}\n\n${formatLabels(known, labelWidth, "  ")}`;
}

function apiText(api: AppDocument["api"]): string {
  if (api.kind !== "openai") return "its own; it cannot chat";
  return `OpenAI's, under /v1, model ${toOneLine(shownModel(api.model))}`;
}

/** Returns a row for each revision that gets traffic, and one for the steps. */
function trafficRows(traffic: AppDocument["traffic"]): [label: string, text: string][] {
  if (traffic === undefined) return [];
  const { revisions, since, steps } = traffic;
  const [, { percent }] = revisions;
  const texts = revisions.map((each) => {
    const { ready, alive } = each.replicas;
    const reason = each.reason === undefined ? "" : `; ${toOneLine(each.reason)}`;
    return `${each.revision} ${each.percent} %: ${ready} of ${alive} replicas ready, ${answersText(each)}${reason}`;
  });
  const further = steps?.percents.filter((each) => each > percent);
  return [
    ...texts.map((text, index): [string, string] => [index === 0 ? "Traffic" : "", text]),
    ["", `shares set ${formatRelativeTime(since).toLowerCase()}`],
    ...(steps && further && further.length > 0 ? [["", stepsText(steps, further)] as const] : []),
  ].map(([label, text]) => [label, text]);
}

function stepsText(
  { stepMs, minRequests }: NonNullable<NonNullable<AppDocument["traffic"]>["steps"]>,
  further: readonly number[],
): string {
  return `next ${further.join(", ")} %, each after ${formatGoDuration(stepMs)} and ${minRequests} requests`;
}

function rolloutText({ revision, strategy, since }: NonNullable<AppDetails["rollout"]>): string {
  return `${revision} (${strategy}), since ${formatRelativeTime(since)}`;
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
): [string, string][] {
  const names = Object.keys(scaleLabels) as (keyof ScaleSettings)[];
  return names.flatMap((name) => {
    const value = scale[name];
    if (value === undefined) return [];
    const text = name.endsWith("Ms") && value > 0 ? formatGoDuration(value) : String(value);
    const origin = overrides.includes(name) ? " (set by apps scale)" : "";
    return [[scaleLabels[name], `${text}${origin}`]];
  });
}
