// Finds the projector in the same folder as a model file.
import { readdir } from "node:fs/promises";
import path from "node:path";

// Matches the precision at the end of a file's name: Q4_K_M, f16, BF16, UD-IQ2_XXS.
const precision = /[-._]?(?:ud-)?(?:i?q|tq|bf|fp?|mxfp)(\d+)(?:_[a-z0-9]+)*$/i;

/**
 * The projector in the model's folder whose precision is nearest to the model's, at most one. In a
 * folder with several models, its name must be that of the model.
 *
 * @param file absolute path of a model, of a split one the first part
 */
export async function findProjectors(file: string): Promise<string[]> {
  const folder = path.dirname(file);
  const names = (await readdir(folder).catch(() => [])).filter(
    (name) => /\.gguf$/i.test(name) && !/imatrix/i.test(name),
  );
  const isProjector = (name: string) => /mmproj/i.test(name);
  const models = new Set(names.filter((name) => !isProjector(name)).map(baseOf));
  const base = baseOf(path.basename(file));
  const fitting = names.filter((name) => {
    if (!isProjector(name)) return false;
    const rest = baseOf(name).replace(/[-._]?mmproj[-._]?/, "");
    const isNameless = rest === "" || rest === "model";
    return models.size <= 1 || (!isNameless && base.startsWith(rest));
  });
  const wanted = bitsOf(path.basename(file));
  const distance = (name: string) => Math.abs(bitsOf(name) - wanted);
  const [nearest] = fitting.sort((a, b) => distance(a) - distance(b) || (a < b ? -1 : 1));
  return nearest === undefined ? [] : [path.join(folder, nearest)];
}

/** The name without ending, part number and precision, in lower case. */
function baseOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.gguf$/, "")
    .replace(/-\d{5}-of-\d{5}$/, "")
    .replace(precision, "");
}

function bitsOf(name: string): number {
  const stem = name.replace(/\.gguf$/i, "").replace(/-\d{5}-of-\d{5}$/, "");
  return Number(precision.exec(stem)?.[1] ?? 16);
}
