// A program that replicas lack may be on the PATH of whoever deploys: the control plane has its own.
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
    hint: `In this shell ${here} is on the PATH, but the server was started in another one: add --env PATH="$PATH".`,
  });
}
