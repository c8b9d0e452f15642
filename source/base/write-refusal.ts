// Explains why a folder cannot be created or written to.
import { accessSync, constants } from "node:fs";
import path from "node:path";

/**
 * Returns the reason, for the end of a sentence; undefined for unrelated codes.
 *
 * @param code the system's, such as `EACCES`
 */
export function writeRefusal(folder: string, code: string | undefined): string | undefined {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "EEXIST":
    case "ENOTDIR":
      return "it or a folder above it is a file";
    case "EROFS":
      return "the disk is read-only";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    // Node's code if a parent cannot be created.
    case "ENOENT":
      return writeRefusal(folder, refusalAbove(folder));
    default:
      return undefined;
  }
}

/** Returns the system's code of an error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns the code for the nearest parent that exists. */
function refusalAbove(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    const above = path.dirname(folder);
    return code === "ENOENT" && above !== folder ? refusalAbove(above) : code;
  }
}
