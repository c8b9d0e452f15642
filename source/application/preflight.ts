// Whether a deployment would run, asked before anything is sent.
import { createServer } from "node:net";
import path from "node:path";
import { describeError } from "../base/product-error.ts";
import type { AdminClient } from "../cloud/admin/admin-client.ts";
import type { DeploymentRequest } from "../cloud/admin/documents.ts";
import { checkExecutables } from "../cloud/inspection/executables.ts";
import { isUnreachable } from "./control-plane-process.ts";
import { examineCloud, type Finding } from "./examine-cloud.ts";

export interface PreflightPlace {
  client: Pick<AdminClient, "status" | "secrets" | "keys">;
  /** Whether it is this machine's own server, which is started when none runs. */
  isLocal: boolean;
  stateFolder: string;
  /** Where its gateway would listen. */
  gateway: { host: string; port: number };
}

/** @param scriptFile absolute */
export async function preflight(
  request: DeploymentRequest,
  scriptFile: string,
  place: PreflightPlace,
): Promise<Finding[]> {
  const [server, machine] = await Promise.all([
    examineServer(request, place),
    place.isLocal ? examineMachine(request, place.stateFolder) : [],
  ]);
  return [
    ...server,
    ...(place.isLocal ? [examinePrograms(request, path.dirname(scriptFile))] : []),
    ...machine,
    ...examineVariables(request),
  ];
}

async function examineServer(
  request: DeploymentRequest,
  { client, isLocal, gateway }: PreflightPlace,
): Promise<Finding[]> {
  const subject = "server";
  try {
    const { baseUrl } = await client.status();
    const sentence = `ready at ${baseUrl}`;
    return [{ subject, kind: "ok", sentence }, ...(await examineStored(request, client))];
  } catch (error) {
    if (!isLocal || !isUnreachable(error)) {
      return [{ subject, kind: "fault", sentence: describeError(error) }];
    }
  }
  const sentence = "none runs yet; the launch starts it";
  return [{ subject, kind: "ok", sentence }, await examineGateway(gateway)];
}

async function examineGateway({ host, port }: PreflightPlace["gateway"]): Promise<Finding> {
  const subject = "port";
  const address = `${host}:${port}`;
  const problem = await bindProblem(host, port);
  if (problem === undefined) return { subject, kind: "ok", sentence: `${address} is free` };
  return {
    subject,
    kind: "fault",
    sentence: `The gateway cannot listen on ${address}: ${problem}.`,
    hint: "Choose another with deployctl up --listen, or deployctl profile set listen.",
  };
}

async function bindProblem(host: string, port: number): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(describeError(error)));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** What the server must have been given: secrets that the script names, a key for callers. */
async function examineStored(
  { config, name }: DeploymentRequest,
  client: PreflightPlace["client"],
): Promise<Finding[]> {
  const [secrets, keys] = await Promise.all([client.secrets(), client.keys()]);
  const known = new Set(secrets.map((secret) => secret.name));
  const missing = config.secretNames.filter((secret) => !known.has(secret));
  const findings: Finding[] = [];
  if (missing.length > 0) {
    findings.push({
      subject: "secrets",
      kind: "fault",
      sentence: `The server has no secret ${missing.join(", ")}.`,
      hint: `deployctl secrets set ${missing[0]}=VALUE`,
    });
  } else if (config.secretNames.length > 0) {
    const sentence = `${config.secretNames.join(", ")} ${config.secretNames.length === 1 ? "is" : "are"} set`;
    findings.push({ subject: "secrets", kind: "ok", sentence });
  }
  if (config.auth === "public") return findings;
  const fits = keys.find(
    ({ state, apps }) =>
      state === "active" && (apps.length === 0 || (name !== undefined && apps.includes(name))),
  );
  findings.push(
    fits === undefined
      ? {
          subject: "key",
          kind: "warning",
          sentence: "No key is good for this app yet: nobody could call it.",
          hint: "Create one when it is live.",
        }
      : { subject: "key", kind: "ok", sentence: `${fits.description ?? fits.id} may call it` },
  );
  return findings;
}

function examinePrograms({ inspection, config }: DeploymentRequest, folder: string): Finding {
  const subject = "programs";
  const { executables, requirements, environment } = config;
  if (executables.length === 0) {
    return { subject, kind: "ok", sentence: "the script calls none that could be missing" };
  }
  const searchPath = environment.PATH ?? process.env.PATH ?? "";
  try {
    checkExecutables(executables, { searchPath, folder, image: inspection.image });
  } catch (error) {
    // A package that the app is given may bring it.
    const kind = requirements.length > 0 ? "warning" : "fault";
    return { subject, kind, sentence: describeError(error) };
  }
  return { subject, kind: "ok", sentence: `${executables.join(", ")} can be called` };
}

/** What `deployctl doctor` finds, as far as it matters for this app. */
async function examineMachine(
  { config }: DeploymentRequest,
  stateFolder: string,
): Promise<Finding[]> {
  const { gpuCount, machineType } = config.hardware;
  const needsGpu = gpuCount > 0 && machineType !== "any";
  const matters = new Set(["system", "python", "state"]);
  if (config.requirements.length > 0) matters.add("venv");
  if (needsGpu) matters.add("gpu");
  const findings = (await examineCloud(stateFolder)).filter(({ subject }) => matters.has(subject));
  return findings.map((finding): Finding => {
    const isDecisive = finding.subject === "gpu" || finding.subject === "venv";
    return isDecisive && finding.kind === "warning" ? { ...finding, kind: "fault" } : finding;
  });
}

/** A script that stops without a variable is not worth starting. */
function examineVariables({ inspection, config, secrets = {} }: DeploymentRequest): Finding[] {
  const given = new Set([
    ...Object.keys(config.environment),
    ...Object.keys(secrets),
    ...config.secretNames,
  ]);
  return inspection.env_read
    .filter(({ name, required, set }) => required && !set && !given.has(name))
    .map(({ name, line }) => ({
      subject: "variables",
      kind: "fault",
      sentence: `The script needs ${name}${line === undefined ? "" : ` (line ${line})`}, which has no value.`,
      hint: "Give it one among the variables.",
    }));
}
