// Starts, finds and stops deployctl's server on this machine: its supervisor, a detached process that starts
// the control plane and the gateway. Names the files in its state folder.
import { spawn } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { exitCodes, ProductError } from "../../base/product-error.ts";
import { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { ServerStatus } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { readLock } from "../../cloud/state/lock-file.ts";
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
} from "../../cloud/state/process-identity.ts";
import { makeStateFolder } from "../../cloud/state/state-folder.ts";
import { authorityFile as authorityFileIn } from "../../tls/self-signed.ts";
import { findErrorDefinition } from "../error-catalog.ts";
import { setAsideLargeLog } from "../local-server/server-log.ts";
import { isSupervised } from "./server-processes.ts";

export { TrustedProxies } from "../../cloud/gateway/client-address.ts";

const pollMs = 25;
const startTimeoutMs = 60_000;
/** Grace period for running requests when the server is told to stop. */
export const drainMs = 30_000;

/** Socket for the control plane's admin API. */
export function adminSocket(stateFolder: string): string {
  return path.join(stateFolder, "admin.sock");
}

/** Socket on which the control plane waits for its gateway. */
export function gatewaySocket(stateFolder: string): string {
  return path.join(stateFolder, "link.sock");
}

/** Socket on which the control plane takes commands of the queue's callers. */
export function queueSocket(stateFolder: string): string {
  return path.join(stateFolder, "queue.sock");
}

/** Socket on which the gateway takes requests of the queue. */
export function runsSocket(stateFolder: string): string {
  return path.join(stateFolder, "runs.sock");
}

export function cloudLogFile(stateFolder: string): string {
  return path.join(stateFolder, "server.log");
}

/** Returns the state of the control plane; undefined if none runs. @throws ProductError of its reply */
export async function findControlPlane(stateFolder: string): Promise<ServerStatus | undefined> {
  try {
    return await new AdminClient({ socketPath: adminSocket(stateFolder) }).status();
  } catch (error) {
    if (isUnreachable(error)) return undefined;
    throw error;
  }
}

export interface SupervisorProgram {
  /** The program's entry file. */
  entry: string;
  /** `up --foreground` with its flags. */
  words: readonly string[];
  stateFolder: string;
}

/**
 * Starts a supervisor and waits until its control plane is ready, or that of a faster command.
 *
 * @throws ProductError with the reason in its log
 */
export async function startSupervisor(options: SupervisorProgram): Promise<ServerStatus> {
  const { entry, words, stateFolder } = options;
  makeStateFolder(stateFolder);
  const logFile = cloudLogFile(stateFolder);
  setAsideLargeLog(logFile);
  const log = openSync(logFile, "a", 0o600);
  const logStart = fstatSync(log).size;
  const child = spawn(process.execPath, [entry, ...words], {
    // Does not keep the current folder in use.
    cwd: stateFolder,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  let exitCode: number | undefined;
  child.once("error", () => {
    exitCode ??= exitCodes.unexpected;
  });
  child.once("exit", (code) => {
    exitCode ??= code ?? exitCodes.unexpected;
  });
  let wasHeld = false;
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const status = await findControlPlane(stateFolder);
    if (status?.isReady && isSupervised(stateFolder)) return status;
    // It exits if another one holds the lock; that one becomes ready, or is stopping.
    if (exitCode !== undefined && holders(stateFolder).length === 0) {
      if (wasHeld) return await startSupervisor(options);
      break;
    }
    wasHeld = exitCode !== undefined;
    await wait(pollMs);
  }
  throw startFailure(logFile, logStart, exitCode);
}

/** Returns the running processes of a server that uses the state folder. */
function holders(stateFolder: string): ProcessIdentity[] {
  const roles = ["supervisor", "control-plane", "gateway"] as const;
  const found = roles.flatMap((role) => readLock(stateFolder, role) ?? []);
  return found.filter(isAlive);
}

/** Longer than any drain of the control plane. */
const stopTimeoutMs = 15 * 60_000;

export interface StopRequest {
  /** Lets running requests end first. */
  drain: boolean;
  /** Keeps replicas running for the next control plane. */
  keepReplicas: boolean;
}

/**
 * Stops this machine's server and waits until its processes have ended.
 *
 * @returns false if none runs
 * @throws ProductError `CLOUD_CONFLICT` if it does not end
 */
export async function stopCloudServer(stateFolder: string, request: StopRequest): Promise<boolean> {
  const running = await findControlPlane(stateFolder);
  if (running === undefined) return false;
  const processes = [identifyProcess(running.processId), ...holders(stateFolder)];
  await new AdminClient({ socketPath: adminSocket(stateFolder) }).stop(request);
  for (const process of processes) await untilGone(process);
  return true;
}

/**
 * Resolves when the processes of a stopping server have ended.
 *
 * @throws ProductError `CLOUD_CONFLICT` if one does not end
 */
export async function untilEnded({ processId }: ServerStatus, stateFolder: string): Promise<void> {
  const processes = [identifyProcess(processId), ...holders(stateFolder)];
  for (const process of processes) await untilGone(process);
}

async function untilGone(process: ProcessIdentity): Promise<void> {
  const deadline = performance.now() + stopTimeoutMs;
  while (isAlive(process)) {
    if (performance.now() > deadline) {
      throw new ProductError(cloudErrors.conflict, {
        message: `The server (process ${process.processId}) is still running.`,
        hint: "Use deployctl down --force to stop it without waiting for requests.",
      });
    }
    await wait(pollMs);
  }
}

/** Returns the log line with the code of an error at start; the error's sentence follows it. */
export function startFaultLine(code: string): string {
  return `${startFault}${code}`;
}

const startFault = "the control plane cannot start: ";

/**
 * Returns the error of a control plane that did not start, with reason and code from its log.
 *
 * @param logStart size of the log before the start, in bytes
 * @param exitCode of its process; undefined while it runs
 */
export function startFailure(
  logFile: string,
  logStart: number,
  exitCode: number | undefined,
): ProductError {
  const lines = readFileSync(logFile).subarray(logStart).toString("utf8").split("\n");
  const lastAfter = (mark: string) =>
    lines
      .findLast((line) => line.includes(mark))
      ?.split(mark)[1]
      ?.trim();
  const reason = lastAfter("Error: ");
  const code = lastAfter(startFault);
  const hint = `See its log: ${logFile}`;
  if (reason !== undefined) {
    const message = `The control plane could not start: ${reason}`;
    const usual = { ...cloudErrors.serverUnreachable, exitCode: exitCode || 8 };
    const named = findErrorDefinition(code) ?? { ...usual, code: code ?? usual.code };
    return new ProductError(named, { message, hint });
  }
  const fault =
    exitCode === undefined
      ? `was not ready within ${startTimeoutMs / 1000} s`
      : `ended at once with exit code ${exitCode}`;
  return new ProductError(cloudErrors.serverUnreachable, {
    message: `The control plane ${fault}.`,
    hint,
  });
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ProductError && error.code === cloudErrors.serverUnreachable.code;
}

export function tlsFolder(stateFolder: string): string {
  return path.join(stateFolder, "tls");
}

/** Certificate authority, created by the first server with a self-signed certificate. */
export function authorityFile(stateFolder: string): string {
  return authorityFileIn(tlsFolder(stateFolder));
}
