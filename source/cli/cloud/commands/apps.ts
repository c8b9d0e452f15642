// deployctl apps list, show, runners: the deployed apps.

import { toOneLine } from "../../../base/display-text.ts";
import { exitCodes } from "../../../base/product-error.ts";
import { formatRelativeTime } from "../../../base/relative-time.ts";
import type { AppDetails, AppDocument } from "../../../cloud/admin/documents.ts";
import type { AppConfig, HardwareNeeds } from "../../../cloud/app-config.ts";
import type { Run } from "../../program/definition.ts";
import { formatTable } from "../../table.ts";
import { appReference } from "../app-reference.ts";
import { printAnswer } from "../print.ts";
import { printReplicas } from "../replica-table.ts";
import { scaleRows } from "../scale-rows.ts";
import { openSession } from "../session.ts";
import { clientOf } from "../target.ts";
import type {
  appRunnersDefinition,
  listAppsDefinition,
  showAppDefinition,
} from "./apps.definition.ts";

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

function nameOf({ organisation, app }: AppDocument): string {
  return `${organisation}/${app}`;
}

/** A line below the table for each unhealthy app. */
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
  return `${nameOf(app)}\n\n${rows.map(([label, text]) => `  ${label.padEnd(25)}${text}\n`).join("")}`;
}

function readinessText({ healthPath, healthStatus }: AppConfig): string {
  return healthStatus === undefined ? healthPath : `${healthPath} (${healthStatus})`;
}

function variablesText(ofRevision: readonly string[], set: readonly string[]): string {
  const own = ofRevision.filter((name) => !set.includes(name));
  return [...own, ...set.map((name) => `${name} (set by env set)`)].join(", ") || "none";
}

/** The responses that callers get while an app has no replica. */
function coldText({ coldStart, modelsCache, earlyStream }: AppConfig): string {
  return [
    `requests ${coldStart}`,
    ...(modelsCache === true ? ["/v1/models from the last reply"] : []),
    ...(earlyStream === true ? ["streams begin early"] : []),
  ].join(", ");
}

/** Lists the machine types in their order, such as "GPU-H100, else GPU-A100, 2 GPUs". */
function hardwareText({ machineType = "any machine", gpuCount, alternatives = [] }: HardwareNeeds) {
  const types = [machineType, ...alternatives.map((choice) => choice.machineType)];
  const gpus = gpuCount === 0 ? "no GPU" : gpuCount === 1 ? "1 GPU" : `${gpuCount} GPUs`;
  return `${types.join(", else ")}, ${gpus}`;
}
