// Finds models whose files are missing or changed, by a look at each file's state.
import { stat } from "node:fs/promises";
import { isMissing } from "./disk-errors.ts";
import type { ModelSummary } from "./model-list.ts";

export interface MissingFile {
  /** The model's name, with its tag. */
  model: string;
  path: string;
  /** A file of another size is another file; one of the same size may still be. */
  isThere: boolean;
  /** The store's, not the user's. */
  isBlob: boolean;
}

/** In the order of the models, of each the first one. */
export async function findMissingFiles(
  models: readonly Pick<ModelSummary, "name" | "refersTo" | "blobs">[],
): Promise<MissingFile[]> {
  // Many models may be made of one file.
  const sizes = new Map<string, Promise<Size>>();
  const sizeOf = (path: string) => {
    const size = sizes.get(path) ?? sizeNow(path);
    sizes.set(path, size);
    return size;
  };
  const lost = models.map(async ({ name: model, refersTo, blobs }): Promise<MissingFile[]> => {
    for (const file of [...refersTo, ...blobs]) {
      const { path, sizeBytes } = file;
      const size = await sizeOf(path);
      if (size === "unknown" || size === sizeBytes) continue;
      return [{ model, path, isThere: size !== "none", isBlob: blobs.includes(file) }];
    }
    return [];
  });
  return (await Promise.all(lost)).flat();
}

/** Size in bytes; unknown when the system denies access. */
type Size = number | "none" | "unknown";

async function sizeNow(path: string): Promise<Size> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    return isMissing(error) ? "none" : "unknown";
  }
}
