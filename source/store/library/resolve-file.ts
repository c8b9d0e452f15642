// Turns a GGUF file that is named by its path into a model.
import { stat } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { findProjectors } from "./find-projectors.ts";
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
  // The file itself may be the missing one: then that is the error.
  if (sizes[parts.indexOf(file)] === undefined) return [file];
  if (missing.length > 0) throw incomplete(file, missing, parts.length);
  if (file === parts[0]) return parts;
  throw new ProductError(storeErrors.definitionInvalid, {
    message: `${file} is one of the ${parts.length} parts of a split model, but not the first.`,
    hint: `Name the first: ${parts[0]}`,
    param: "model",
  });
}
