// Explains disk errors, and fails early when disk space is short or the folder is not ours to write.
import { realpath } from "node:fs/promises";
import path from "node:path";
import { formatBytes } from "../../base/formats.ts";
import { freeSpace } from "../../base/free-space.ts";
import { ProductError } from "../../base/product-error.ts";
import { systemCode, writeRefusal } from "../../base/write-refusal.ts";
import { storeErrors } from "../errors.ts";

export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Runs work that writes to the folder, and explains system errors. */
export async function explainingDiskErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, folder);
  }
}

const fullCodes = new Set(["ENOSPC", "EDQUOT"]);
const refusalCodes = new Set(["EACCES", "EPERM", "EROFS"]);
// SQLite's SQLITE_FULL; SQLITE_READONLY and SQLITE_CANTOPEN: a lock file cannot be created.
const sqliteFull = 13;
const sqliteRefusals = new Set([8, 14]);

function explained(error: unknown, folder: string): unknown {
  const code = systemCode(error) ?? "";
  const sqlite = sqliteCode(error);
  if (fullCodes.has(code) || sqlite === sqliteFull) {
    return new ProductError(storeErrors.diskFull, {
      message: `The disk that holds ${folder} is full.`,
      hint: "Free some space, for example with: modelctl rm MODEL; then try again.",
      cause: error,
    });
  }
  const reason = refusalOf(error, folder);
  if (reason === undefined) return error;
  return new ProductError(storeErrors.notWritable, {
    message: `The folder ${folder} cannot be written: ${reason}.`,
    hint: "Check the folder's permissions, or choose another folder.",
    cause: error,
  });
}

function refusalOf(error: unknown, folder: string): string | undefined {
  const sqlite = sqliteCode(error);
  if (sqlite !== undefined && sqliteRefusals.has(sqlite)) {
    // SQLite does not tell a read-only disk from missing permissions; the folder does.
    return writeRefusal(folder, "ENOENT") ?? writeRefusal(folder, "EACCES");
  }
  const code = systemCode(error) ?? "";
  // The error may also be about a file that was being read: the store is not at fault then.
  const file = pathOf(error);
  const isOurs = file !== undefined && (file.startsWith(folder) || isAbove(file, folder));
  if (!isOurs) return undefined;
  if (isMkdir(error)) return writeRefusal(folder, code) ?? "no folder can be created there";
  return refusalCodes.has(code) ? writeRefusal(folder, code) : undefined;
}

function isAbove(file: string, folder: string): boolean {
  return folder.startsWith(file.endsWith(path.sep) ? file : file + path.sep);
}

/** True if a folder could not be created. */
function isMkdir(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "mkdir";
}

/** The path that was being written; for a copy, its destination. */
function pathOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const file = "dest" in error ? error.dest : "path" in error ? error.path : undefined;
  return typeof file === "string" ? file : undefined;
}

/** SQLite's primary result code. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}

/**
 * Fails early when disk space is short.
 *
 * @param folder on the disk in question; it need not exist yet
 * @throws ProductError `STORE_DISK_FULL`
 */
export async function requireRoom(
  folder: string,
  neededBytes: number,
  hint = "Free some space, for example with: modelctl rm MODEL; then try again.",
): Promise<void> {
  const freeBytes = await freeSpace(folder);
  if (freeBytes === undefined || neededBytes <= freeBytes) return;
  throw new ProductError(storeErrors.diskFull, {
    message: `Not enough disk space for ${folder}: ${formatBytes(neededBytes)} needed, ${formatBytes(freeBytes)} free.`,
    hint,
  });
}

/**
 * Refuses to write to another program's store, even if it is configured as ours or linked to.
 *
 * @throws ProductError `STORE_NOT_WRITABLE` when the folder is one of the others
 */
export async function refuseForeignStore(
  folder: string,
  others: readonly { path: string }[],
): Promise<void> {
  const real = await realOf(folder);
  for (const other of others) {
    if ((await realOf(other.path)) !== real) continue;
    throw new ProductError(storeErrors.notWritable, {
      message: `The folder ${folder} is Ollama's own store, which this program only reads.`,
      hint: "Choose another folder with MODELCTL_MODELS; Ollama's models are listed anyway.",
    });
  }
}

/** Returns a missing folder as it is. */
async function realOf(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder);
}
