// File with the processes of a supervised server: the supervisor writes it, the control plane reads it.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ServerProcesses } from "../cloud/admin/documents.ts";
import { readLock } from "../cloud/state/lock-file.ts";
import { isAlive } from "../cloud/state/process-identity.ts";

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

/** @returns what the last supervisor wrote, which may have ended; undefined without a readable file */
export function readLastProcesses(stateFolder: string): ServerProcesses | undefined {
  try {
    return JSON.parse(readFileSync(processesFile(stateFolder), "utf8"));
  } catch {
    return undefined; // missing, or truncated by a power failure
  }
}

/** Returns the processes, without a supervisor that has died. */
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
