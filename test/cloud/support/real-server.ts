// deployctl's whole server with real replicas, in processes that can be killed.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  adminSocket,
  findControlPlane,
  startSupervisor,
} from "../../../source/application/cloud-host/cloud-server.ts";
import { readProcesses } from "../../../source/application/cloud-host/server-processes.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import type {
  DeployEvent,
  DeploymentRequest,
  ServerStatus,
} from "../../../source/cloud/admin/documents.ts";
import type { AppConfig } from "../../../source/cloud/app-config.ts";
import { createNonce } from "../../../source/cloud/engines/process/orphans.ts";
import {
  readProcesses as readMachineProcesses,
  readNonce,
} from "../../../source/cloud/engines/process/process-table.ts";
import { identifyProcess, isAlive } from "../../../source/cloud/state/process-identity.ts";
import { defaultConfig, fakeServer, serveScript } from "../../support/process-engine.ts";
import { until } from "../../support/until.ts";
import { deployment } from "./open-control-plane.ts";

/** The program of the server's processes. */
export const hostProgram = path.join(import.meta.dirname, "host-process.mts");

export function makeFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "deployctl-host-")));
}

export function clientOf(stateFolder: string): AdminClient {
  return new AdminClient({ socketPath: adminSocket(stateFolder) });
}

export interface ServerPorts {
  /** Of the gateway. */
  port?: number;
  /** Of the admin API for other machines; undefined: there is none. */
  adminPort?: number;
}

/** Starts the server's processes, as `deployctl up` does. Resolves when it accepts calls and commands. */
export async function startServer(
  stateFolder: string,
  { port = 0, adminPort }: ServerPorts = {},
): Promise<ServerStatus> {
  const words = [stateFolder, `${port}`, ...(adminPort === undefined ? [] : [`${adminPort}`])];
  return await startSupervisor({ entry: hostProgram, words, stateFolder });
}

/** Kills the control plane. Resolves when its successor accepts calls and commands. */
export async function killControlPlane(stateFolder: string): Promise<void> {
  const { controlPlane } = await until(
    () => readProcesses(stateFolder),
    (processes) => processes.controlPlane !== undefined,
  );
  const killed = controlPlane?.pid ?? 0;
  process.kill(killed, "SIGKILL");
  await until(
    () => findControlPlane(stateFolder),
    (status) => status?.isReady === true && status.processId !== killed,
  );
}

/** Kills the gateway. Resolves when its successor serves. */
export async function killGateway(stateFolder: string): Promise<void> {
  const { gatewayProcess } = readProcesses(stateFolder);
  process.kill(gatewayProcess?.pid ?? 0, "SIGKILL");
  const url = `${(await clientOf(stateFolder).status()).baseUrl}/_/readyz`;
  await until(
    () => fetch(url).catch(() => undefined),
    (reply) => reply?.status === 200,
  );
}

/** Kills all processes of the server, but not its replicas. */
export async function killServer(stateFolder: string): Promise<void> {
  const { supervisor, gatewayProcess, controlPlane } = readProcesses(stateFolder);
  // The supervisor first, as it starts the others again.
  const ids = [supervisor, gatewayProcess, controlPlane].flatMap((each) => each?.pid ?? []);
  for (const id of ids) process.kill(id, "SIGKILL");
  await until(
    () => ids.filter(isRunning),
    ({ length }) => length === 0,
  );
}

function isRunning(id: number): boolean {
  return isAlive(identifyProcess(id));
}

/** A deployment of the fake model server; its variables as in `fake-server.py`, such as `CRASH_CODE`. */
export function fakeDeployment(
  text: string,
  change: {
    scale?: Partial<AppConfig["scale"]>;
    fake?: Record<string, string>;
  } & Partial<DeploymentRequest> = {},
): DeploymentRequest {
  const { scale, fake = {}, ...rest } = change;
  const named = Object.entries(fake).map(([name, value]) => [`FAKE_${name}`, value]);
  const request = deployment(`${serveScript}\n# ${text}\n`, rest);
  const environment = { FAKE_SERVER: fakeServer, ...Object.fromEntries(named) };
  const config: AppConfig = {
    ...defaultConfig,
    auth: "public",
    environment,
    scale: { ...defaultConfig.scale, maxMultiplexing: 64, ...scale },
  };
  return { ...request, config };
}

export async function deployTo(
  client: AdminClient,
  request: DeploymentRequest,
): Promise<DeployEvent | undefined> {
  let last: DeployEvent | undefined;
  for await (const event of client.deploy(request)) last = event;
  return last;
}

/** Returns living processes of the folder's replicas, by the nonce that a replica's processes share. */
export async function replicaProcesses(stateFolder: string): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for (const { id } of await readMachineProcesses()) {
    const nonce = readNonce(id);
    if (nonce?.split(".")[0] !== createNonce(stateFolder).split(".")[0]) continue;
    if (nonce === undefined) continue;
    found.set(nonce, [...(found.get(nonce) ?? []), id]);
  }
  return found;
}

/** Kills processes that a failed test has left, and removes the folder. */
export async function clearFolder(stateFolder: string): Promise<void> {
  for (const ids of (await replicaProcesses(stateFolder)).values()) {
    for (const id of ids) {
      try {
        process.kill(id, "SIGKILL");
      } catch {
        // it has exited
      }
    }
  }
  rmSync(stateFolder, { recursive: true, force: true });
}
