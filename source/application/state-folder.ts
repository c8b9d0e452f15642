// Writes to the state folder, and turns failures into an error that names the folder.
import { ProductError } from "../base/product-error.ts";
import { systemCode, writeRefusal } from "../base/write-refusal.ts";
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
    const reason = writeRefusal(stateFolder, systemCode(error));
    if (reason === undefined) throw error;
    throw new ProductError(configurationErrors.stateUnwritable, {
      message: `The folder ${stateFolder}, for logs and the server's address, cannot be written: ${reason}.`,
      hint: "Check its permissions, or choose another folder with XDG_STATE_HOME.",
      cause: error,
    });
  }
}
