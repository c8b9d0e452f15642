// modelctl completion: a script for a shell.
import { exitCodes } from "../../base/product-error.ts";
import { completionScripts } from "../completion-scripts.ts";
import { usageError } from "../errors.ts";

const howTo = "For bash: source <(modelctl completion bash)";

export async function completion([shell, ...more]: string[]): Promise<number> {
  const shells = Object.keys(completionScripts);
  if (shell === undefined || more.length > 0) {
    throw usageError(`completion needs one of ${shells.join(", ")}.`, howTo);
  }
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
  if (script === undefined) {
    throw usageError(`There is no completion for ${shell}.`, `Use one of ${shells.join(", ")}.`);
  }
  process.stdout.write(script);
  return exitCodes.ok;
}
