// Installs and starts deployctl's server as a service.
import { closeSync, openSync, statSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { ProductError } from "../../base/product-error.ts";
import type { ServerStatus } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { makeStateFolder } from "../../cloud/state/state-folder.ts";
import { cloudLogFile, findControlPlane, startFailure } from "./cloud-server.ts";
import { serviceEnvironment } from "./service-file.ts";
import {
  isInstalled,
  removeService,
  type ServiceManager,
  serviceState,
  startService,
  writeService,
} from "./service-manager.ts";

const pollMs = 100;
const startTimeoutMs = 60_000;

export interface InstalledServer {
  stateFolder: string;
  /** Command line that runs the supervisor in the foreground. */
  command: readonly string[];
  onStart: () => void;
}

/**
 * Writes the service's file, and starts the service if its manager answers.
 *
 * @returns the state of the ready server; undefined if the manager does not answer
 * @throws ProductError `CLOUD_SERVICE_INSTALLED`, `CLOUD_ALREADY_RUNNING`, `CLOUD_SERVICE_UNSUPPORTED`,
 *   `CLOUD_SERVICE_FAILED`, or the reason why the server does not start
 */
export async function installServer(
  manager: ServiceManager,
  { stateFolder, command, onStart }: InstalledServer,
): Promise<ServerStatus | undefined> {
  const state = await serviceState(manager);
  await refuseSecond(manager, stateFolder);
  makeStateFolder(stateFolder);
  const logFile = cloudLogFile(stateFolder);
  // Created here, readable only by its user.
  closeSync(openSync(logFile, "a", 0o600));
  writeService(manager, { command, environment: serviceEnvironment(process.env), logFile });
  if (state === undefined) return undefined;
  onStart();
  return await startReady(manager, stateFolder);
}

/** @throws ProductError `CLOUD_SERVICE_INSTALLED`, `CLOUD_ALREADY_RUNNING` */
async function refuseSecond(manager: ServiceManager, stateFolder: string): Promise<void> {
  if (isInstalled(manager)) {
    throw new ProductError(cloudErrors.serviceInstalled, {
      message: `The service is already installed: ${manager.file}.`,
      hint: "Remove it first with deployctl service remove.",
    });
  }
  if ((await findControlPlane(stateFolder)) !== undefined) {
    throw new ProductError(cloudErrors.alreadyRunning, {
      message: "A server is already running here.",
      hint: "Stop it first with deployctl down --keep-replicas; the service takes over its replicas.",
    });
  }
}

/**
 * Starts the service and waits until its server is ready; removes it on failure, as the manager would
 * retry forever.
 */
async function startReady(manager: ServiceManager, stateFolder: string): Promise<ServerStatus> {
  const logFile = cloudLogFile(stateFolder);
  const logStart = statSync(logFile).size;
  try {
    await startService(manager);
    const status = await untilReady(manager, stateFolder);
    if (status === undefined) throw startFailure(logFile, logStart, undefined);
    return status;
  } catch (error) {
    await removeService(manager, await serviceState(manager)).catch(() => {});
    throw error;
  }
}

/** Returns undefined if the service ends, or is not ready in time. */
async function untilReady(
  manager: ServiceManager,
  stateFolder: string,
): Promise<ServerStatus | undefined> {
  const deadline = performance.now() + startTimeoutMs;
  let wasRunning = false;
  while (performance.now() < deadline) {
    const status = await findControlPlane(stateFolder);
    if (status?.isReady) return status;
    const isRunning = (await serviceState(manager))?.isRunning === true;
    if (wasRunning && !isRunning) return undefined;
    wasRunning = isRunning;
    await wait(pollMs);
  }
  return undefined;
}
