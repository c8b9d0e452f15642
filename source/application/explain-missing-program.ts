// Finds missing programs on the PATH of the deploying user: the control plane has its own PATH.
import { ProductError } from "../base/product-error.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { missingExecutables } from "../cloud/inspection/executables.ts";

/**
 * Adds advice to an error about a missing program, and returns other errors unchanged. Only for
 * this machine's server.
 *
 * @param executables that the script calls
 * @param searchPath PATH of the deploying user
 */
export function explainMissingProgram(
  error: unknown,
  executables: readonly string[],
  searchPath: string = process.env.PATH ?? "",
): unknown {
  if (!(error instanceof ProductError)) return error;
  if (error.code !== cloudErrors.executableMissing.code) return error;
  const plain = executables.filter((name) => !name.includes("/") && error.message.includes(name));
  const missing = missingExecutables(plain, { searchPath, folder: "/" });
  const here = plain.find((name) => !missing.includes(name));
  if (here === undefined) return error;
  return error.reworded({
    hint: `${here} is on this shell's PATH, but not on the server's: add --env PATH="$PATH".`,
  });
}
