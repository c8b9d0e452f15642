// Why the system refuses to write in a folder of ours, or to make it, in words for the end of a sentence.
import { accessSync, constants } from "node:fs";
import path from "node:path";

/** @param code the system's, as `EACCES` @returns undefined when it is about something else */
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
    // Node's error codes for folders that cannot be made.
    case "ENOENT":
      return writeRefusal(folder, refusalAbove(folder));
    default:
      return undefined;
  }
}

/** The system's code, as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Why nothing can be made in the nearest folder that exists. */
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
