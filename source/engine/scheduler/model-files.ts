// Fingerprint of a model's files, to notice when they are replaced while the model is loaded.
import { stat } from "node:fs/promises";
import type { ResolvedModel } from "../../store/model-catalog.ts";

/**
 * Returns equal texts as long as no file of the model is written or replaced. Ignores inode numbers,
 * which some network file systems change at every call.
 */
export async function stateOfFiles({
  parts,
  adapters,
  projectors,
}: Pick<ResolvedModel, "parts" | "adapters" | "projectors">): Promise<string> {
  const states = [...parts, ...adapters, ...projectors].map(async (file) => {
    // Loading reports a file that is gone.
    const found = await stat(file).catch(() => undefined);
    return found === undefined ? "missing" : `${found.size} ${found.mtimeMs}`;
  });
  return (await Promise.all(states)).join(", ");
}
