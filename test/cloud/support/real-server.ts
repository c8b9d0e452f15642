// deployctl's whole server with real replicas, in this process or in a separate one that can be killed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import {
  type CloudHost,
  type CloudHostOptions,
  startCloudHost,
} from "../../../source/application/cloud-host.ts";
import { adminSocket } from "../../../source/application/control-plane-process.ts";
import { AdminClient } from "../../../source/cloud/admin/admin-client.ts";
import type { DeployEvent, DeploymentRequest } from "../../../source/cloud/admin/documents.ts";
import type { AppConfig } from "../../../source/cloud/app-config.ts";
import { createNonce } from "../../../source/cloud/engines/process/orphans.ts";
import { readNonce, readProcesses } from "../../../source/cloud/engines/process/process-table.ts";
import { defaultConfig, fakeServer, serveScript } from "../../support/process-engine.ts";
import { deployment } from "./open-control-plane.ts";

export function makeFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "deployctl-host-")));
}

export function clientOf(stateFolder: string): AdminClient {
  return new AdminClient({ socketPath: adminSocket(stateFolder) });
}

/** In this process. */
export async function startHost(
  stateFolder: string,
  log: string[],
  change: Partial<CloudHostOptions> = {},
): Promise<CloudHost> {
  return await startCloudHost({
    stateFolder,
    organisation: "local",
    listeners: [{ host: "127.0.0.1", port: 0, encryption: { kind: "none" } }],
    log: (text) => log.push(text),
    ...change,
  });
}

export interface HostProcess {
  child: ChildProcess;
  baseUrl: string;
  /** Kills the process; resolves when it has exited. */
  kill(): Promise<void>;
}

/** Starts a separate process. Resolves when it accepts calls. */
export async function spawnHost(stateFolder: string, log: string[]): Promise<HostProcess> {
  const program = path.join(import.meta.dirname, "host-process.mts");
  const child = spawn(process.execPath, [program, stateFolder], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = once(child, "exit");
  createInterface(child.stderr).on("line", (line) => log.push(line));
  const lines = createInterface(child.stdout);
  const first = await Promise.race([once(lines, "line"), gone]);
  if (typeof first[0] !== "string" || !first[0].startsWith("http")) {
    throw new Error(`the server did not start:\n${log.join("\n")}`);
  }
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  return { child, baseUrl: first[0], kill };
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
  for (const { id } of await readProcesses()) {
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
