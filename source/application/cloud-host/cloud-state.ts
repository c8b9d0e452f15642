// Checks and restores the state database of this machine's server.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import type { AdminClient } from "../../cloud/admin/admin-client.ts";
import type { StateCheck } from "../../cloud/admin/documents.ts";
import { cloudErrors } from "../../cloud/errors.ts";
import { faultOf, listBackups, restoreBackup } from "../../cloud/state/backups.ts";
import { stateFile } from "../../cloud/state/database.ts";
import { takeLock } from "../../cloud/state/lock-file.ts";
import { isUnreachable } from "./cloud-server.ts";

/**
 * Checks the database, through the server if it runs.
 *
 * @throws ProductError `CLOUD_STATE_MISSING`, and errors of the client
 */
export async function examineState(stateFolder: string, client: AdminClient): Promise<StateCheck> {
  try {
    return await client.checkState();
  } catch (error) {
    if (!isUnreachable(error) || !("socketPath" in client.address)) throw error;
  }
  const file = stateFile(stateFolder);
  // Names of backups and of databases set aside begin with the database's name.
  const names = existsSync(stateFolder) ? readdirSync(stateFolder) : [];
  if (!names.some((name) => name.startsWith(path.basename(file)))) {
    throw new ProductError(cloudErrors.stateMissing, {
      message: `No state in ${stateFolder}: no control plane has run there yet.`,
      hint: "Check --state-dir.",
    });
  }
  const fault = faultOf(file);
  return { file, problems: fault === undefined ? [] : [fault], backups: listBackups(file) };
}

/**
 * Replaces the database of a stopped server.
 *
 * @param backup undefined: the next start creates an empty database
 * @returns the new path of the old database as `setAside`
 * @throws ProductError `CLOUD_ALREADY_RUNNING`, `CLOUD_BACKUP_UNUSABLE`
 */
export function restoreState(
  stateFolder: string,
  backup: string | undefined,
): { file: string; setAside: string | undefined } {
  const giveBack = takeLock(stateFolder);
  try {
    const file = stateFile(stateFolder);
    return { file, setAside: restoreBackup(file, backup, Date.now()) };
  } finally {
    giveBack();
  }
}
