// Turns what the system says about the store's disk into errors that a person understands.
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";

/** The system's code, as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export function isMissing(error: unknown): boolean {
  const code = systemCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Does work that writes to the folder, and explains what the system refuses. */
export async function explainingDiskErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, folder);
  }
}

const fullCodes = new Set(["ENOSPC", "EDQUOT"]);
const refusalCodes = new Set(["EACCES", "EPERM", "EROFS"]);
// SQLite's SQLITE_FULL; SQLITE_READONLY and SQLITE_CANTOPEN: a lock's file cannot be made.
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
  // The refusal may also be about a file that was to be read: that is not the store's matter.
  const isOurs = refusalCodes.has(code) && pathOf(error)?.startsWith(folder) === true;
  if (isOurs || (sqlite !== undefined && sqliteRefusals.has(sqlite))) {
    return new ProductError(storeErrors.notWritable, {
      message: `The folder ${folder} may not be written by this user.`,
      hint: "Change its permissions, or choose another folder.",
      cause: error,
    });
  }
  return error;
}

/** What was to be written; of a copy, its destination. */
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
