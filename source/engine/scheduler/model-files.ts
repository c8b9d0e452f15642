// What tells the files of a loaded model from what has been put in their place since.
import { stat } from "node:fs/promises";
import type { ResolvedModel } from "../../store/model-catalog.ts";

/**
 * Equal for two looks between which no file of the model was written or replaced. Inode numbers are
 * not compared: some network file systems give another one at every look.
 */
export async function stateOfFiles({
  parts,
  adapters,
  projectors,
}: Pick<ResolvedModel, "parts" | "adapters" | "projectors">): Promise<string> {
  const looks = [...parts, ...adapters, ...projectors].map(async (file) => {
    // Of a file that has gone this moment, loading will say so.
    const found = await stat(file).catch(() => undefined);
    return found === undefined ? "missing" : `${found.size} ${found.mtimeMs}`;
  });
  return (await Promise.all(looks)).join(", ");
}
