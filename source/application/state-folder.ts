// Writing to the state folder: what the system refuses is told in a sentence that names the folder.
import { accessSync, constants } from "node:fs";
import path from "node:path";
import { ProductError } from "../base/product-error.ts";
import { configurationErrors } from "../configuration/errors.ts";

/**
 * Does work that writes to the folder with the servers' addresses and logs.
 *
 * @throws ProductError `CONFIGURATION_STATE_UNWRITABLE` where the system refuses it
 */
export function writingState<T>(stateFolder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = reasonOf(stateFolder, codeOf(error));
    if (reason === undefined) throw error;
    throw new ProductError(configurationErrors.stateUnwritable, {
      message: `The folder ${stateFolder}, for logs and the server's address, cannot be written: ${reason}.`,
      hint: "Change that, or name a folder to put it in with XDG_STATE_HOME.",
      cause: error,
    });
  }
}

function reasonOf(folder: string, code: string | undefined): string | undefined {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "EEXIST":
    case "ENOTDIR":
      return "there is a file in its place, or in the place of a folder above it";
    case "EROFS":
      return "its disk may only be read";
    case "EACCES":
    case "EPERM":
      return "its user lacks the right";
    // What Node says of a folder that cannot be made, whatever keeps the system from making it.
    case "ENOENT":
      return reasonOf(folder, refusalAbove(folder));
    default:
      return undefined;
  }
}

/** Why nothing can be made in the nearest folder that exists. */
function refusalAbove(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    const above = path.dirname(folder);
    return code === "ENOENT" && above !== folder ? refusalAbove(above) : code;
  }
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
