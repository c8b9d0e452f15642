// Lock files of a state folder, one for each kind of process. SQLite's own lock prevents a second
// control plane.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { cloudErrors } from "../errors.ts";
import { identifyProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { makeStateFolder } from "./state-folder.ts";

/** Processes that the supervisor starts. */
export type SupervisedRole = "gateway" | "control-plane";

/** Kind of process of which a state folder has at most one. */
export type ProcessRole = "supervisor" | SupervisedRole;

export function lockFile(stateFolder: string, role: ProcessRole = "control-plane"): string {
  return path.join(stateFolder, `${role}.lock`);
}

/**
 * Takes the lock, also from a dead process. A process that dies leaves its lock file behind; one
 * that was asked to stop does not.
 *
 * @returns a function that releases it
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_STATE_UNUSABLE`
 */
export function takeLock(stateFolder: string, role: ProcessRole = "control-plane"): () => void {
  makeStateFolder(stateFolder);
  const file = lockFile(stateFolder, role);
  const own = `${file}.${process.pid}`;
  const identity = identifyProcess(process.pid);
  writeFileSync(own, `${JSON.stringify(identity)}\n`, { mode: 0o600 });
  try {
    if (!link(own, file)) {
      const holder = readLock(stateFolder, role);
      if (holder !== undefined && isAlive(holder)) throw alreadyRunning(stateFolder, role, holder);
      // Two processes may get here at once; SQLite's lock then admits one of them.
      renameSync(own, file);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => {
    const { processId, startTime } = readLock(stateFolder, role) ?? {};
    if (processId === identity.processId && startTime === identity.startTime) rmSync(file);
  };
}

/** @returns the current or last holder; undefined without a readable file */
export function readLock(
  stateFolder: string,
  role: ProcessRole = "control-plane",
): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lockFile(stateFolder, role), "utf8"));
    if (value === null || typeof value !== "object") return undefined;
    const { processId, startTime, bootId } = value as Record<string, unknown>;
    if (typeof processId !== "number") return undefined;
    return {
      processId,
      startTime: typeof startTime === "string" ? startTime : undefined,
      bootId: typeof bootId === "string" ? bootId : undefined,
    };
  } catch {
    return undefined; // missing, or truncated by a power failure: no running process holds it
  }
}

/** Links a complete file, so that nobody reads half of it. */
function link(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

function alreadyRunning(
  stateFolder: string,
  role: ProcessRole,
  holder: ProcessIdentity,
): ProductError {
  return new ProductError(cloudErrors.alreadyRunning, {
    message: `A ${role.replace("-", " ")} is already running on ${stateFolder} (pid ${holder.processId}).`,
    hint: "Run `deployctl status` to see it, or `deployctl down` to stop it.",
  });
}
