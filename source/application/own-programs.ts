// Finds missing programs on the PATH of the deploying user: the control plane has its own PATH.
import { ProductError } from "../base/product-error.ts";
import { cloudErrors } from "../cloud/errors.ts";
import { missingExecutables } from "../cloud/inspection/executables.ts";

/**
 * The error with what helps, where that is so; otherwise as it is. For this machine's server alone.
 *
 * @param executables that the script calls
 * @param searchPath of whoever deploys
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
