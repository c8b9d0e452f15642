// Summary of a deployment: the app's address, calls, logs, and the way back.

import { existsSync } from "node:fs";
import { authorityFile } from "../../application/control-plane-process.ts";
import { formatMilliseconds } from "../../base/formats.ts";
import { quoteForShell } from "../../base/quoting.ts";
import type { DeployResult } from "../../cloud/admin/documents.ts";
import type { AppConfig, AuthMode } from "../../cloud/app-config.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";
import { type Session, settingOf } from "./session.ts";

export interface SummaryFacts {
  model: string;
  /** Paths of an app with its own API instead of OpenAI's. */
  endpoints: Inspection["endpoints"];
  /** Certificate authority that callers must trust. */
  certificateFile: string | undefined;
}

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
};

export function deploySummary(result: DeployResult, facts: SummaryFacts): string {
  const { app, revision, status, url, auth, cold_start_ms: coldStartMs, previous } = result;
  // The default organisation may be omitted.
  const name = app.replace(/^local\//, "");
  const ready = coldStartMs === undefined ? "" : `, ready after ${formatMilliseconds(coldStartMs)}`;
  const rows = [
    ["URL", url],
    ["Auth", authTexts[auth]],
    ["Logs", `deployctl logs ${name} -f`],
    ["Back", backText(name, previous)],
    ...(auth === "public" ? [] : [["Key", keyCommand(app)]]),
  ];
  return [
    `${app} ${statusTexts[status]} (${revision}${ready})`,
    "",
    ...rows.map(([label = "", text = ""]) => `  ${label.padEnd(6)}${text}`),
    "",
    ...callLines(url, auth, facts).map((line) => (line === "" ? "" : `  ${line}`)),
    "",
  ].join("\n");
}

/** Returns example calls with curl, and with OpenAI's client unless the app has its own API. */
export function callLines(url: string, auth: AuthMode, facts: SummaryFacts): string[] {
  const { model, endpoints, certificateFile } = facts;
  const isOpen = auth === "public";
  const trust = certificateFile === undefined ? "" : ` --cacert ${quoteForShell(certificateFile)}`;
  const key = isOpen ? "" : ' -H "Authorization: Key $DEPLOYCTL_KEY"';
  if (endpoints !== undefined) {
    return endpoints
      .filter(({ method }) => method === "POST")
      .map(({ path }) => `curl${trust} ${url}${path}${key} ${jsonHeader} -d '{}'`);
  }
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `curl${trust} ${url}/v1/models${key}`,
    `curl${trust} ${url}/v1/chat/completions${key} ${jsonHeader} -d ${quoteForShell(body)}`,
    "",
    "new OpenAI({",
    `  baseURL: "${url}/v1",`,
    '  apiKey: "unused",',
    ...(isOpen ? [] : ['  defaultHeaders: { Authorization: "Key " + process.env.DEPLOYCTL_KEY },']),
    "})",
  ];
}

export function summaryFacts(
  inspection: Inspection,
  certificateFile: string | undefined,
): SummaryFacts {
  const { endpoints } = inspection;
  return { model: servedModel(inspection), endpoints, certificateFile };
}

const modelVariable = /(^|_)MODEL(_|$)/;
const unknownModel = "MODEL";

/** Returns the model on the script's command line, or a placeholder. */
export function servedModel({ command, env_read }: Inspection): string {
  const serve = command.indexOf("serve");
  const flag = command.indexOf("--model");
  const named = command[flag >= 0 ? flag + 1 : serve >= 0 ? serve + 1 : command.length];
  if (named !== undefined && named !== "" && !named.startsWith("-")) return named;
  const variable = env_read.find(({ name }) => modelVariable.test(name));
  return variable?.value ?? variable?.default ?? unknownModel;
}

/** Returns the model in a revision's configuration, or a placeholder. */
export function configuredModel(config: AppConfig | undefined): string {
  const { model, environment = {} } = config ?? {};
  const name = Object.keys(environment).find((variable) => modelVariable.test(variable));
  return model ?? (name && environment[name]) ?? unknownModel;
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
