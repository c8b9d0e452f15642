// State folder of a control plane, created with access for its user alone.
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { systemCode } from "../../base/write-refusal.ts";
import { cloudErrors } from "../errors.ts";

/** Limit of the system for the path of a socket (unix(7)). */
const longestSocketPath = process.platform === "linux" ? 107 : 103;
/** The folder holds several; this name is the longest. */
const longestPath = longestSocketPath - "/workers.sock".length;

/** @throws ProductError `CLOUD_STATE_UNUSABLE` when it cannot be created, written or hold sockets */
export function makeStateFolder(stateFolder: string): void {
  try {
    if (Buffer.byteLength(stateFolder) > longestPath) {
      throw new Error(`its path is longer than ${longestPath} bytes, too long for sockets in it`);
    }
    makeFolder(stateFolder);
    accessSync(stateFolder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ProductError(cloudErrors.stateUnusable, {
      message: `Cannot use the state folder ${stateFolder}: ${describeError(cause)}.`,
      hint: "Check its permissions, or choose another folder with --state-dir.",
      cause,
    });
  }
}

/** Creates parents one by one: Node's recursive mkdir never returns in folders such as /proc. */
function makeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`${folder} is not a folder`);
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
