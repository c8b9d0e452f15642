// Summary of a deployment: the app's address, calls, logs, and the way back.

import { existsSync } from "node:fs";
import { authorityFile } from "../../application/cloud-host/cloud-server.ts";
import { shownModel, toOneLine } from "../../base/display-text.ts";
import { formatMilliseconds } from "../../base/formats.ts";
import { quoteForShell } from "../../base/quoting.ts";
import type { AppDocument, DeployResult, TrafficShare } from "../../cloud/admin/documents.ts";
import type { AuthMode } from "../../cloud/app-config.ts";
import { type Session, settingOf } from "./session.ts";

const jsonHeader = "-H 'Content-Type: application/json'";

const authTexts: Readonly<Record<AuthMode, string>> = {
  private: "private: callers need a key of the organisation",
  shared: "shared: callers need any key of this server",
  public: "public: anybody can call it",
};

const statusTexts: Readonly<Record<DeployResult["status"], string>> = {
  active: "is live",
  no_change: "is already live: nothing changed",
  rolling_out: "is being verified and goes live if that succeeds",
  split: "gets a share of the traffic",
};

/**
 * @param certificateFile authority that callers must trust
 * @param environment variables of the app, whose values may be shown
 */
export function deploySummary(
  result: DeployResult,
  certificateFile: string | undefined,
  environment: Readonly<Record<string, string>> = {},
): string {
  const { app, revision, status, url, auth, cold_start_ms: coldStartMs, previous } = result;
  // The default organisation may be omitted.
  const name = app.replace(/^local\//, "");
  const ready = coldStartMs === undefined ? "" : `, ready after ${formatMilliseconds(coldStartMs)}`;
  const { traffic } = result;
  const isSplit = status === "split" && traffic !== undefined;
  const rows = [
    ["URL", url],
    ["Auth", authTexts[auth]],
    ["Logs", `deployctl logs ${name} -f`],
    ...(isSplit ? splitRows(name, traffic) : [["Back", backText(name, previous)]]),
    ...(auth === "public" ? [] : [["Key", keyCommand(app)]]),
    ...variableRows(result.variables, environment),
  ];
  return [
    `${app} ${statusTexts[status]} (${revision}${ready})`,
    "",
    ...rows.map(([label = "", text = ""]) => `  ${label.padEnd(6)}${text}`),
    "",
    callsText(result, certificateFile),
  ].join("\n");
}

function splitRows(name: string, traffic: readonly TrafficShare[]): string[][] {
  return [
    ["Split", sharesText(traffic)],
    ["All", `deployctl traffic promote ${name}`],
    ["Back", `deployctl traffic abort ${name}`],
  ];
}

/** `r0007-1a2b3c4d 90 %, r0008-5e6f7a8b 10 %` */
export function sharesText(traffic: readonly TrafficShare[]): string {
  return traffic.map(({ revision, percent }) => `${revision} ${percent} %`).join(", ");
}

/** Returns a row for each kind of change; secrets and removed variables have names only. */
function variableRows(
  variables: DeployResult["variables"],
  environment: Readonly<Record<string, string>>,
): string[][] {
  const shown = (name: string) => {
    const value = environment[name];
    return value === undefined ? `${name} (secret)` : toOneLine(`${name}=${value}`);
  };
  const { kept = [], added = [], changed = [], removed = [] } = variables ?? {};
  const texts = [
    ["kept", kept.map(shown)],
    ["added", added.map(shown)],
    ["changed", changed.map(shown)],
    ["removed", removed],
  ] as const;
  return texts
    .filter(([, names]) => names.length > 0)
    .map(([kind, names], index) => [index === 0 ? "Env" : "", `${kind} ${names.join(", ")}`]);
}

/** Returns example calls, indented, to be printed. */
export function callsText(app: CalledApp, certificateFile: string | undefined): string {
  return callLines(app, certificateFile)
    .map((line) => `  ${line}`.trimEnd().concat("\n"))
    .join("");
}

type CalledApp = Pick<AppDocument, "url" | "auth" | "api">;

/** Returns example calls with curl, and with OpenAI's clients for an app that can chat. */
export function callLines(
  { url, auth, api }: CalledApp,
  certificateFile: string | undefined,
): string[] {
  const trust = certificateFile === undefined ? "" : ` --cacert ${quoteForShell(certificateFile)}`;
  const key = auth === "public" ? "" : ' -H "Authorization: Key $DEPLOYCTL_KEY"';
  const call = `curl${trust} ${url}`;
  if (api.kind === "http") return [`${call}/${key}`];
  if (api.kind === "endpoints") {
    return api.paths.map((path) => `${call}${path}${key} ${jsonHeader} -d '{}'`);
  }
  const model = toOneLine(shownModel(api.model));
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `${call}/v1/models${key}`,
    `${call}/v1/chat/completions${key} ${jsonHeader} -d ${quoteForShell(body)}`,
    "",
    ...clientLines(`${url}/v1`, auth),
  ];
}

/** OpenAI's clients send another scheme by default, so they get the header. */
function clientLines(url: string, auth: AuthMode): string[] {
  const isOpen = auth === "public";
  const pythonHeader =
    '    default_headers={"Authorization": "Key " + os.environ["DEPLOYCTL_KEY"]},';
  const scriptHeader = '  defaultHeaders: { Authorization: "Key " + process.env.DEPLOYCTL_KEY },';
  return [
    "# Python",
    "client = OpenAI(",
    `    base_url="${url}",`,
    '    api_key="unused",',
    ...(isOpen ? [] : [pythonHeader]),
    ")",
    "",
    "// JavaScript",
    "const client = new OpenAI({",
    `  baseURL: "${url}",`,
    '  apiKey: "unused",',
    ...(isOpen ? [] : [scriptHeader]),
    "});",
  ];
}

function backText(name: string, previous: string | undefined): string {
  return previous === undefined
    ? `deployctl apps delete ${name} (there is no earlier revision)`
    : `deployctl rollback ${name} (to ${previous})`;
}

export function keyCommand(app: string): string {
  const [organisation = "", name = ""] = app.split("/");
  const place = organisation === "local" ? "" : ` --org ${organisation}`;
  return `export DEPLOYCTL_KEY=$(deployctl keys create --scope api --app ${name}${place} --quiet)`;
}

/**
 * Returns the file of the authority that callers must trust; undefined for plain HTTP and for certificates
 * of other authorities.
 */
export function certificateOf(session: Session, url: string): string | undefined {
  if (!url.startsWith("https:")) return undefined;
  if (settingOf(session, "server") !== undefined) return settingOf(session, "ca");
  const file = authorityFile(session.stateFolder);
  return existsSync(file) ? file : undefined;
}
