// The folder that holds everything of a control plane: made where it is missing, for its user alone.
import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

/** @throws ProductError `CLOUD_STATE_UNUSABLE` when it cannot be made, or not be written to */
export function makeStateFolder(stateFolder: string): void {
  try {
    makeFolder(stateFolder);
    accessSync(stateFolder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ProductError(cloudErrors.stateUnusable, {
      message: `The state folder ${stateFolder} cannot be used: ${describeError(cause)}.`,
      hint: "Mend its rights, or choose another one with --state-dir.",
      cause,
    });
  }
}

/** Parents first: Node's own recursion never ends where a folder takes none, as /proc. */
function makeFolder(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found !== undefined) throw new Error(`${folder} is no folder`);
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
