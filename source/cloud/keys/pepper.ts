// Pepper of key digests: random bytes stored outside the database, without which its digests are
// useless.
import path from "node:path";
import { describeError, ProductError } from "../../base/product-error.ts";
import { cloudErrors } from "../errors.ts";
import { createKeyFile, readKeyFile } from "../state/key-file.ts";

/** Returns the path inside a state folder. */
export function pepperFile(stateFolder: string): string {
  return path.join(stateFolder, "keys", "pepper");
}

/**
 * Reads the pepper, or creates it when there is none.
 *
 * @param keys number of keys made with it; above 0 a missing pepper is an error, never replaced
 * @throws ProductError `CLOUD_PEPPER_UNUSABLE`
 */
export function loadPepper(file: string, keys: number): Buffer {
  try {
    const known = readKeyFile(file);
    if (known === undefined && keys > 0) throw lostPepper(keys);
    return known ?? createKeyFile(file);
  } catch (cause) {
    if (cause instanceof ProductError) throw cause;
    throw unusable(file, describeError(cause), cause);
  }
}

function lostPepper(keys: number): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `The pepper file is missing, so none of the ${keys} keys in the state database can be verified.`,
    hint: "Restore keys/pepper from a copy of the state folder.",
  });
}

function unusable(file: string, reason: string, cause: unknown): ProductError {
  return new ProductError(cloudErrors.pepperUnusable, {
    message: `Cannot use the pepper file ${file}, which is needed to verify keys: ${reason}.`,
    hint: "Check its permissions, or restore it from a copy of the state folder.",
    cause,
  });
}
