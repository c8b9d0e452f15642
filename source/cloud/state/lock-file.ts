// Lock file of a state folder, which names its control plane. SQLite's own lock prevents a second
// one.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { identifyProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";
import { makeStateFolder } from "./state-folder.ts";

export function lockFile(stateFolder: string): string {
  return path.join(stateFolder, "control-plane.lock");
}

/**
 * Takes the lock, also from a dead process.
 *
 * @returns a function that releases it
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_STATE_UNUSABLE`
 */
export function takeLock(stateFolder: string): () => void {
  makeStateFolder(stateFolder);
  const file = lockFile(stateFolder);
  const own = `${file}.${process.pid}`;
  const identity = identifyProcess(process.pid);
  writeFileSync(own, `${JSON.stringify(identity)}\n`, { mode: 0o600 });
  try {
    if (!link(own, file)) {
      const holder = readLock(stateFolder);
      if (holder !== undefined && isAlive(holder)) throw alreadyRunning(stateFolder, holder);
      // Two processes may get here at once; SQLite's lock then admits one of them.
      renameSync(own, file);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => {
    const { processId, startTime } = readLock(stateFolder) ?? {};
    if (processId === identity.processId && startTime === identity.startTime) rmSync(file);
  };
}

/** @returns the current or last holder; undefined without a readable file */
export function readLock(stateFolder: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lockFile(stateFolder), "utf8"));
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
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function alreadyRunning(stateFolder: string, holder: ProcessIdentity): ProductError {
  return new ProductError(cloudErrors.alreadyRunning, {
    message: `A control plane is already running on ${stateFolder} (pid ${holder.processId}).`,
    hint: "Run `deployctl status` to see it, or `deployctl down` to stop it.",
  });
}
