// Which models have lost the files that they refer to, from a look at each file, none of them read.
import { stat } from "node:fs/promises";
import type { ModelSummary } from "./model-list.ts";

export interface LostFile {
  /** The model's name, with its tag. */
  model: string;
  path: string;
  /** A file of another size is another file; one of the same size may still be. */
  isThere: boolean;
}

/** In the order of the models, of each the first one. */
export async function findLostFiles(
  models: readonly Pick<ModelSummary, "name" | "refersTo">[],
): Promise<LostFile[]> {
  // Many models may be made of one file.
  const sizes = new Map<string, Promise<number | undefined>>();
  const sizeOf = (path: string) => {
    const size = sizes.get(path) ?? sizeNow(path);
    sizes.set(path, size);
    return size;
  };
  const lost = models.map(async ({ name: model, refersTo }): Promise<LostFile[]> => {
    for (const { path, sizeBytes } of refersTo) {
      const size = await sizeOf(path);
      if (size !== sizeBytes) return [{ model, path, isThere: size !== undefined }];
    }
    return [];
  });
  return (await Promise.all(lost)).flat();
}

/** Undefined where no file can be seen. */
async function sizeNow(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch {
    return undefined;
  }
}
