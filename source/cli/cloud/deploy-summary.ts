// The summary after a deployment: the app's address, how to call it, its logs, how to go back.
import { formatMilliseconds } from "../../base/time-format.ts";
import type { DeployResult } from "../../cloud/admin/documents.ts";
import type { AuthMode } from "../../cloud/app-config.ts";
import type { Inspection } from "../../cloud/inspection/inspection.ts";

export interface SummaryFacts {
  /** Model name for callers: the one that the script serves. */
  model: string;
  /** Paths of an app with its own API instead of OpenAI's. */
  endpoints: Inspection["endpoints"];
  /** For the HTTPS of an own authority. */
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

/** Lines for curl, and the way in for OpenAI's client where it may be one. */
export function callLines(url: string, auth: AuthMode, facts: SummaryFacts): string[] {
  const { model, endpoints, certificateFile } = facts;
  const isOpen = auth === "public";
  const trust = certificateFile === undefined ? "" : ` --cacert ${quoted(certificateFile)}`;
  const key = isOpen ? "" : ' -H "Authorization: Key $DEPLOYCTL_KEY"';
  if (endpoints !== undefined) {
    return endpoints
      .filter(({ method }) => method === "POST")
      .map(({ path }) => `curl${trust} ${url}${path}${key} ${jsonHeader} -d '{}'`);
  }
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  return [
    `curl${trust} ${url}/v1/models${key}`,
    `curl${trust} ${url}/v1/chat/completions${key} ${jsonHeader} -d ${quoted(body)}`,
    "",
    "new OpenAI({",
    `  baseURL: "${url}/v1",`,
    '  apiKey: "unused",',
    ...(isOpen ? [] : ['  defaultHeaders: { Authorization: "Key " + process.env.DEPLOYCTL_KEY },']),
    "})",
  ];
}

/** The facts for the summary of a script. */
export function summaryFacts(
  inspection: Inspection,
  certificateFile: string | undefined,
): SummaryFacts {
  const { endpoints } = inspection;
  return { model: servedModel(inspection), endpoints, certificateFile };
}

/** The model that callers name: the one on the script's command line, if it can be read. */
export function servedModel({ command, env_read }: Inspection): string {
  const serve = command.indexOf("serve");
  const flag = command.indexOf("--model");
  const named = command[flag >= 0 ? flag + 1 : serve >= 0 ? serve + 1 : command.length];
  if (named !== undefined && named !== "" && !named.startsWith("-")) return named;
  const variable = env_read.find(({ name }) => /(^|_)MODEL(_|$)/.test(name));
  return variable?.value ?? variable?.default ?? "MODEL";
}

function backText(name: string, previous: string | undefined): string {
  return previous === undefined
    ? `deployctl apps delete ${name} (there is no earlier revision)`
    : `deployctl rollback ${name} (to ${previous})`;
}

/** Command that creates a key for callers of the app. */
export function keyCommand(app: string): string {
  const [organisation = "", name = ""] = app.split("/");
  const place = organisation === "local" ? "" : ` --org ${organisation}`;
  return `export DEPLOYCTL_KEY=$(deployctl keys create --scope api --app ${name}${place} --quiet)`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
