// Gives a model a second name: a copy of its manifest, not of its weights.
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import type { ModelCatalog } from "../model-catalog.ts";
import { defineModel } from "../model-definition.ts";
import type { ModelName } from "../model-reference.ts";
import { createModel } from "./create-model.ts";
import { blobsOf } from "./manifest.ts";
import type { ModelStore } from "./model-store.ts";

/**
 * A model of another store becomes one of ours that refers to the other store's files.
 *
 * @param source a reference; @param destination replaced if it is there
 * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MODEL_READ_ONLY`, `STORE_NAME_INVALID` for a
 *   file, those of `createModel`
 */
export async function copyModel(
  catalog: ModelCatalog,
  store: ModelStore,
  source: string,
  destination: ModelName,
): Promise<void> {
  refuseBuiltInName(destination, "replaced", "Choose another name for the copy.");
  if (catalog.parse(source).kind === "file") {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `${source} is a file, not a model of the store.`,
      hint: "Create a model from it with modelctl create and a Modelfile.",
      param: "source",
    });
  }
  const parent = await catalog.parentOf(source);
  if (parent.kind === "stored" && parent.stored.folder.path === store.path) {
    // Read again under the lock: it may have been removed since.
    const replaced = await store.whileWriting(async () => {
      const now = await store.folder.read(parent.stored);
      return await store.writeManifest(destination, now.manifest);
    });
    if (replaced !== undefined) await store.removeUnused(blobsOf(replaced.manifest));
    return;
  }
  const definition = defineModel({ from: [source] });
  const resolveName = async () => parent;
  await createModel(store, destination, definition, { resolveName });
}
