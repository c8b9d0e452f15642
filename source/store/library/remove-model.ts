// Removes a model from our store: its manifest, then the blobs that no other model needs.
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import type { ModelCatalog } from "../model-catalog.ts";
import type { ModelName } from "../model-reference.ts";
import { blobsOf } from "./manifest.ts";
import type { ModelStore } from "./model-store.ts";

/**
 * Files that the model merely refers to stay where they are. A damaged model can be removed too.
 *
 * @param reference as the caller wrote it
 * @returns the name that was removed, in the letter case in which it was kept
 * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MODEL_READ_ONLY`, `STORE_NAME_INVALID`
 */
export async function removeModel(
  catalog: ModelCatalog,
  store: ModelStore,
  reference: string,
): Promise<ModelName> {
  const parsed = catalog.parse(reference);
  if (parsed.kind === "file") {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `invalid model name: ${reference} is a file, not a model of the store.`,
      hint: "Name a model that modelctl list shows; delete a file yourself.",
      param: "model",
    });
  }
  refuseBuiltInName(parsed.name, "removed", "It takes a few megabytes only.");
  const file = await store.folder.find(parsed.name);
  if (file === undefined) {
    if ((await catalog.find(parsed.name)) === undefined) throw catalog.notFound(reference);
    throw new ProductError(storeErrors.modelReadOnly, {
      message: `The model '${parsed.name.display}' is in Ollama's store, which this program only reads.`,
      hint: `Remove it with: ollama rm ${parsed.name.display}`,
      param: "model",
    });
  }
  const stored = await store.folder.read(file).catch(() => undefined);
  await store.removeManifest(file);
  if (stored !== undefined) await store.removeUnused(blobsOf(stored.manifest));
  return file.name;
}
