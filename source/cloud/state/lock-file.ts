// Tells who works on a state folder. SQLite's own lock forbids a second one; this file names the first.
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
 * Takes the lock; one whose owner is dead is taken over.
 *
 * @returns gives it back
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
      // Two that take over at once both get here; SQLite's lock then lets one of them on.
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

/** @returns who holds or held the lock; undefined without a readable file */
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
    return undefined; // none, or torn by a power cut: nobody who lives holds it
  }
}

/** Made whole under another name first, so that nobody reads half of it. */
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
    message: `The control plane of ${stateFolder} already runs as process ${holder.processId}.`,
    hint: "deployctl status shows it; deployctl down ends it.",
  });
}
