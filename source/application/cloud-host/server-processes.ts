// File with the processes of a supervised server, written by the supervisor and read by the control plane.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ServerProcesses } from "../../cloud/admin/documents.ts";
import { readLock } from "../../cloud/state/lock-file.ts";
import { isAlive } from "../../cloud/state/process-identity.ts";

function processesFile(stateFolder: string): string {
  return path.join(stateFolder, "processes.json");
}

export function writeProcesses(stateFolder: string, processes: ServerProcesses): void {
  const file = processesFile(stateFolder);
  writeFileSync(`${file}.new`, `${JSON.stringify(processes)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeProcesses(stateFolder: string): void {
  rmSync(processesFile(stateFolder), { force: true });
}

/** Returns the record of the last supervisor, which may have ended; undefined if unreadable. */
export function readLastProcesses(stateFolder: string): ServerProcesses | undefined {
  try {
    return JSON.parse(readFileSync(processesFile(stateFolder), "utf8"));
  } catch {
    return undefined; // missing, or truncated by a power failure
  }
}

/** Returns the processes, without a supervisor that has ended. */
export function readProcesses(stateFolder: string): Partial<ServerProcesses> {
  const { supervisor, ...others } = readLastProcesses(stateFolder) ?? {};
  return {
    ...others,
    ...(supervisor !== undefined && isSupervised(stateFolder) && { supervisor }),
  };
}

/** True while a supervisor runs for the state folder. */
export function isSupervised(stateFolder: string): boolean {
  const holder = readLock(stateFolder, "supervisor");
  return holder !== undefined && isAlive(holder);
}
