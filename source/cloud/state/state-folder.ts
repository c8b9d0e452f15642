// The folder that holds everything of a control plane: made where it is missing, for its user alone.
import { accessSync, constants, mkdirSync } from "node:fs";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";

/** @throws ProductError `CLOUD_STATE_UNUSABLE` when it cannot be made, or not be written to */
export function makeStateFolder(stateFolder: string): void {
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    accessSync(stateFolder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new ProductError(cloudErrors.stateUnusable, {
      message: `The state folder ${stateFolder} cannot be used: ${describeError(cause)}.`,
      hint: "Mend its rights, or choose another one with --state-dir.",
      cause,
    });
  }
}
