// Checks a deployment before it is sent.
import { createServer } from "node:net";
import path from "node:path";
import { formatBytes } from "../../base/formats.ts";
import { portHolder } from "../../base/listening-sockets.ts";
import { describeError } from "../../base/product-error.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { DeploymentRequest } from "../../cloud/admin/documents.ts";
import { environmentOf, mainEnvironment } from "../../cloud/app-name.ts";
import { checkExecutables } from "../../cloud/inspection/executables.ts";
import { keyCovers } from "../../cloud/keys/cloud-key.ts";
import { isUnreachable } from "../cloud-host/cloud-server.ts";
import { type Examined, examine } from "../cloud-host/examine-cloud.ts";
import { type Finding, fault, ok, type Verdict, warning } from "../cloud-host/finding.ts";
import type { PreparedDeployment } from "./prepare-deployment.ts";

export interface PreflightPlace {
  client: Pick<AdminClient, "status" | "secrets" | "keys">;
  /** True for this machine's server, which is started if none runs. */
  isLocal: boolean;
  stateFolder: string;
  gateway: { host: string; port: number };
}

export type Prepared = Pick<PreparedDeployment, "request" | "script" | "sizeBytes">;

/** A check; all run concurrently. */
export interface PreflightCheck {
  subject: string;
  /** Undefined while it runs. */
  findings: readonly Finding[] | undefined;
}

/**
 * Runs all checks at once; those that need no script start while it is still being read.
 *
 * @param tell called with all checks in order, at the start and when one has ended
 * @throws what `preparing` throws
 */
export async function preflight(
  preparing: Promise<Prepared>,
  place: PreflightPlace,
  tell: (checks: readonly PreflightCheck[]) => void = () => {},
): Promise<Finding[]> {
  const checks: PreflightCheck[] = [];
  const running: Promise<void>[] = [];
  const run = (subject: string, check: () => Promise<readonly Finding[]>) => {
    const at = checks.push({ subject, findings: undefined }) - 1;
    const end = async () => {
      checks[at] = { subject, findings: await check() };
      tell([...checks]);
    };
    running.push(end());
  };
  const { isLocal, stateFolder } = place;
  const machine = (subject: Examined) => async () => [await examine(subject, stateFolder)];
  run("script", async () => examineScript(await preparing));
  run("server", () => examineServer(preparing, place));
  if (isLocal) {
    run("programs", async () => [{ subject: "programs", ...examinePrograms(await preparing) }]);
    for (const subject of ["system", "python", "state"] as const) run(subject, machine(subject));
    for (const subject of ["venv", "gpu"] as const) {
      run(subject, async () => await examineNeeded(subject, preparing, stateFolder));
    }
  }
  tell([...checks]);
  await Promise.all(running);
  return checks.flatMap(({ findings = [] }) => findings);
}

async function examineServer(
  preparing: Promise<Prepared>,
  { client, isLocal, gateway }: PreflightPlace,
): Promise<Finding[]> {
  const subject = "server";
  try {
    const { baseUrl } = await client.status();
    const { request } = await preparing;
    return [{ subject, ...ok(`ready at ${baseUrl}`) }, ...(await examineStored(request, client))];
  } catch (error) {
    // The script's problems are reported separately.
    await preparing;
    if (!isLocal || !isUnreachable(error)) return [{ subject, ...fault(describeError(error)) }];
  }
  return [
    { subject, ...ok("not running; the launch starts it") },
    { subject: "port", ...(await examineGateway(gateway)) },
  ];
}

async function examineGateway({ host, port }: PreflightPlace["gateway"]): Promise<Verdict> {
  const address = `${host}:${port}`;
  const problem = await bindProblem(host, port);
  if (problem === undefined) return ok(`${address} is free`);
  const isTaken = problem.code === "EADDRINUSE";
  const holder = (isTaken ? await portHolder(port) : undefined) ?? "another program";
  return fault(
    isTaken
      ? `Address ${address} is already in use by ${holder}.`
      : `The gateway cannot listen on ${address}: ${describeError(problem)}.`,
    "Choose another with deployctl up --listen, or deployctl profile set listen.",
  );
}

async function bindProblem(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** Checks that the app's environment has the script's secrets, and the server a key for callers. */
async function examineStored(
  { config, organisation, name = "" }: DeploymentRequest,
  client: PreflightPlace["client"],
): Promise<Finding[]> {
  const environment = environmentOf(name);
  const [secrets, keys] = await Promise.all([client.secrets(environment), client.keys()]);
  const known = new Set(secrets.map((secret) => secret.name));
  const missing = config.secretNames.filter((secret) => !known.has(secret));
  const findings: Finding[] = [];
  if (missing.length > 0) {
    const sentence = `Missing secret on the server: ${missing.join(", ")}.`;
    const flag = environment === mainEnvironment ? "" : ` --environment ${environment}`;
    const hint = `deployctl secrets set ${missing[0]}=VALUE${flag}`;
    findings.push({ subject: "secrets", ...fault(sentence, hint) });
  } else if (config.secretNames.length > 0) {
    const verb = config.secretNames.length === 1 ? "is" : "are";
    findings.push({ subject: "secrets", ...ok(`${config.secretNames.join(", ")} ${verb} set`) });
  }
  if (config.auth === "public") return findings;
  const fits = keys.find((key) => {
    const call = { organisation: organisation ?? key.organisation, app: name, method: "GET" };
    return key.state === "active" && keyCovers(key, call);
  });
  const verdict =
    fits === undefined
      ? warning(
          "No key is valid for this app yet, so nobody can call it.",
          "Create one when the app is live.",
        )
      : ok(`${fits.description ?? fits.id} may call it`);
  return [...findings, { subject: "key", ...verdict }];
}

function examinePrograms({ request, script }: Prepared): Verdict {
  const { inspection, config } = request;
  const folder = path.dirname(script);
  const { executables, requirements, environment } = config;
  if (executables.length === 0) return ok("no external programs needed");
  const searchPath = environment.PATH ?? process.env.PATH ?? "";
  try {
    checkExecutables(executables, { searchPath, folder, image: inspection.image });
  } catch (error) {
    // An installed package may provide it.
    const kind = requirements.length > 0 ? "warning" : "fault";
    return { kind, sentence: describeError(error) };
  }
  return ok(`${executables.join(", ")} can be called`);
}

/** Checks a requirement of some apps, which cannot run without it. */
async function examineNeeded(
  subject: "venv" | "gpu",
  preparing: Promise<Prepared>,
  stateFolder: string,
): Promise<Finding[]> {
  const { config } = (await preparing).request;
  const { gpuCount, machineType, alternatives = [] } = config.hardware;
  const isGpuNeeded = [{ gpuCount }, ...alternatives].every((choice) => choice.gpuCount > 0);
  const needs = {
    venv: { isNeeded: config.requirements.length > 0, otherwise: "no packages to install" },
    gpu: { isNeeded: isGpuNeeded && machineType !== "any", otherwise: "not required" },
  };
  const { isNeeded, otherwise } = needs[subject];
  if (!isNeeded) return [{ subject, ...ok(otherwise) }];
  const finding = await examine(subject, stateFolder);
  return [finding.kind === "warning" ? { ...finding, kind: "fault" } : finding];
}

function examineScript({ request, sizeBytes }: Prepared): Finding[] {
  const size = formatBytes(sizeBytes);
  return [{ subject: "script", ...ok(`read and packed, ${size}`) }, ...examineVariables(request)];
}

/** Finds required variables that are not set. */
function examineVariables(request: DeploymentRequest): Finding[] {
  const { inspection, config, secrets = {}, kept = [] } = request;
  const given = new Set([
    ...kept,
    ...Object.keys(config.environment),
    ...Object.keys(secrets),
    ...config.secretNames,
  ]);
  return inspection.env_read
    .filter(({ name, required, set }) => required && !set && !given.has(name))
    .map(({ name, file, line }) => ({
      subject: "variables",
      ...fault(
        `The script needs ${name}${placeOf(file, line)}, which is not set.`,
        "Set it as a variable.",
      ),
    }));
}

function placeOf(file: string | undefined, line: number | undefined): string {
  if (line === undefined) return "";
  return file === undefined ? ` (line ${line})` : ` (${file}:${line})`;
}
