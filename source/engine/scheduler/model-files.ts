// What tells the files of a loaded model from what has been put in their place since.
import { stat } from "node:fs/promises";
import type { ResolvedModel } from "../../store/model-catalog.ts";

/**
 * Equal for two looks between which no file of the model was written or replaced. Inode numbers are
 * not compared: some network file systems give another one at every look.
 *
 * @throws the system's error where a file has gone
 */
export async function stateOfFiles({
  facts,
  adapters,
  projectors,
}: Pick<ResolvedModel, "facts" | "adapters" | "projectors">): Promise<string> {
  const looks = [facts.path, ...adapters, ...projectors].map(async (file) => {
    const { size, mtimeMs } = await stat(file);
    return `${size} ${mtimeMs}`;
  });
  return (await Promise.all(looks)).join(", ");
}
