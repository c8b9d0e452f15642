// Backups of state.db: written while it is in use, limited in number, restored on demand.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describeError, ProductError } from "../../base/product-error.ts";
import { sqlite } from "../../base/without-warnings.ts";
import { cloudErrors } from "../errors.ts";

export interface Backup {
  file: string;
  /** Milliseconds since 1970. */
  at: number;
}

const maxBackups = 7;
const stampPattern = /^\d{13}$/;

/** Returns the prefix of a damaged database's new name, before the time. */
export function setAsidePrefix(file: string): string {
  return `${file}.damaged-`;
}

function backupFile(file: string, at: number): string {
  return `${file}.backup-${at}`;
}

/** Writes a consistent copy, in one read transaction. @returns its path */
export function writeBackup(connection: DatabaseSync, file: string, now: number): string {
  let at = now;
  while (existsSync(backupFile(file, at))) at += 1;
  const temporary = `${file}.backup-unfinished`;
  rmSync(temporary, { force: true });
  connection.prepare("VACUUM INTO ?").run(temporary);
  chmodSync(temporary, 0o600);
  renameSync(temporary, backupFile(file, at));
  return backupFile(file, at);
}

/** Newest first. */
export function listBackups(file: string): Backup[] {
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}.backup-`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && stampPattern.test(name.slice(prefix.length)))
    .map((name) => ({ file: path.join(folder, name), at: Number(name.slice(prefix.length)) }))
    .sort((one, other) => other.at - one.at);
}

export function newestBackup(file: string): Backup | undefined {
  return listBackups(file)[0];
}

export function pruneBackups(file: string): void {
  for (const backup of listBackups(file).slice(maxBackups)) rmSync(backup.file);
}

/**
 * Replaces the database by a backup; the old one is renamed, never removed. No control plane may be
 * running.
 *
 * @param backup undefined starts over with an empty database
 * @returns the new path of the old database, if there was one
 * @throws ProductError `CLOUD_BACKUP_UNUSABLE`
 */
export function restoreBackup(
  file: string,
  backup: string | undefined,
  now: number,
): string | undefined {
  const restored = `${file}.restored`;
  if (backup !== undefined) {
    examineBackup(backup);
    copyFileSync(backup, restored);
    chmodSync(restored, 0o600);
  } else {
    // SQLite treats an empty file as an empty database.
    writeFileSync(restored, "", { mode: 0o600 });
  }
  const replaced = existsSync(file) ? `${file}.replaced-${now}` : undefined;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (!existsSync(file + suffix)) continue;
    // SQLite must not find a journal without its database, or with another one.
    renameSync(file + suffix, (replaced ?? `${file}.replaced-${now}`) + suffix);
  }
  renameSync(restored, file);
  return replaced;
}

function examineBackup(backup: string): void {
  const fault = faultOf(backup);
  if (fault === undefined) return;
  throw new ProductError(cloudErrors.backupUnusable, {
    message: `Cannot restore ${backup}: ${fault}.`,
    hint: "Run `deployctl state check` to see all backups.",
  });
}

/** Returns the reason why a database file cannot be used; undefined for a sound one. */
export function faultOf(backup: string): string | undefined {
  if (!existsSync(backup)) return "no such file";
  try {
    const { DatabaseSync } = sqlite();
    const connection = new DatabaseSync(backup, { readOnly: true });
    try {
      const result = connection.prepare("PRAGMA quick_check").get()?.quick_check;
      return result === "ok" ? undefined : String(result);
    } finally {
      connection.close();
    }
  } catch (error) {
    return describeError(error);
  }
}
