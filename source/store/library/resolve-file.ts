// Resolves a GGUF file named by its path to a model, with the projector in the same folder.
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import type { GgufCache } from "./gguf-cache.ts";
import { noSettings, type ResolvedModel } from "./resolved-model.ts";
import { incomplete, partPaths } from "./split-model.ts";

/**
 * @param file absolute
 * @throws ProductError those of `readGgufFacts`; `STORE_SPLIT_INCOMPLETE`,
 *   `STORE_DEFINITION_INVALID` for another part than the first
 */
export async function resolveFile(file: string, cache: GgufCache): Promise<ResolvedModel> {
  const parts = await allParts(file);
  const { facts, details } = await cache.read(parts);
  const { mtime } = await stat(file);
  return {
    ...noSettings(),
    name: file,
    facts,
    parts,
    parameters: {},
    origin: "file",
    store: undefined,
    digest: undefined,
    sizeBytes: facts.fileSize,
    modifiedAt: mtime,
    details,
    projectors: await findProjectors(file),
  };
}

async function allParts(file: string): Promise<string[]> {
  const parts = partPaths(file);
  if (parts === undefined) return [file];
  const sizes = await Promise.all(parts.map((part) => stat(part).catch(() => undefined)));
  const missing = sizes.flatMap((facts, at) => (facts === undefined ? [at + 1] : []));
  // If the file itself is missing, reading it reports that.
  if (sizes[parts.indexOf(file)] === undefined) return [file];
  if (missing.length > 0) throw incomplete(file, missing, parts.length);
  if (file === parts[0]) return parts;
  throw new ProductError(storeErrors.definitionInvalid, {
    message: `${file} is one of the ${parts.length} parts of a split model, but not the first.`,
    hint: `Name the first: ${parts[0]}`,
    param: "model",
  });
}

// Matches the precision at the end of a file's name: Q4_K_M, f16, BF16, UD-IQ2_XXS.
const precision = /[-._]?(?:ud-)?(?:i?q|tq|bf|fp?|mxfp)(\d+)(?:_[a-z0-9]+)*$/i;

/**
 * The projector in the model's folder whose precision is nearest to the model's, at most one. In a
 * folder with several models, its name must be that of the model.
 *
 * @param file absolute path of a model, or of the first part of a split one
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
