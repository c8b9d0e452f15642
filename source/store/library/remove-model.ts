// Removes a model from our store: its manifest, then the blobs that no other model needs.
import { stat } from "node:fs/promises";
import { ProductError } from "../../base/product-error.ts";
import { refuseBuiltInName } from "../built-in-models.ts";
import { storeErrors } from "../errors.ts";
import type { FoundModel, ModelCatalog } from "../model-catalog.ts";
import type { ModelName } from "../model-reference.ts";
import { blobsOf, isReference } from "./manifest.ts";
import type { ManifestFile } from "./model-folder.ts";
import type { ModelStore } from "./model-store.ts";

/**
 * Files that the model merely refers to stay where they are. A damaged model can be removed too.
 *
 * @param reference as the caller wrote it
 * @returns the name that was removed, in its letter case on disk
 * @throws ProductError `STORE_MODEL_NOT_FOUND`, `STORE_MODEL_READ_ONLY`, `STORE_NAME_INVALID`
 */
export async function removeModel(
  catalog: ModelCatalog,
  store: ModelStore,
  reference: string,
): Promise<ModelName> {
  const file = await findRemovable(catalog, store, reference);
  const stored = await store.folder.read(file).catch(() => undefined);
  await store.removeManifest(file);
  if (stored !== undefined) await store.removeUnused(blobsOf(stored.manifest));
  return file.name;
}

/** The effect of removing a model, in bytes. */
export interface RemovalPlan {
  name: ModelName;
  /** Blobs that no other model needs. */
  freedBytes: number;
  /** Blobs that other models need too, or that another store links to. */
  sharedBytes: number;
  /** Files outside the store, which stay. */
  referredBytes: number;
  /** Manifests that cannot be read: while there are any, no blob is removed. */
  damaged: string[];
}

/** @throws ProductError as `removeModel`; `STORE_MANIFEST_CORRUPT` */
export async function planRemoval(
  catalog: ModelCatalog,
  store: ModelStore,
  reference: string,
): Promise<RemovalPlan> {
  const file = await findRemovable(catalog, store, reference);
  const { manifest } = await store.folder.read(file);
  const { manifests, damaged } = await store.folder.neededBlobs();
  const others = manifests.filter(({ path }) => path !== file.path);
  const needed = new Set(others.flatMap((other) => blobsOf(other.manifest)));
  const plan = { name: file.name, freedBytes: 0, sharedBytes: 0, referredBytes: 0, damaged };
  const counted = new Set<string>();
  for (const layer of [manifest.config, ...manifest.layers]) {
    if (isReference(layer)) {
      plan.referredBytes += layer.sizeBytes;
      continue;
    }
    if (counted.has(layer.digest)) continue;
    counted.add(layer.digest);
    const isNeeded = needed.has(layer.digest) || damaged.length > 0;
    const isKept = isNeeded || (await hasOtherLinks(store.blobPath(layer.digest)));
    plan[isKept ? "sharedBytes" : "freedBytes"] += layer.sizeBytes;
  }
  return plan;
}

async function hasOtherLinks(file: string): Promise<boolean> {
  const facts = await stat(file).catch(() => undefined); // a missing blob has none
  return facts !== undefined && facts.nlink > 1;
}

async function findRemovable(
  catalog: ModelCatalog,
  store: ModelStore,
  reference: string,
): Promise<ManifestFile> {
  const parsed = catalog.parse(reference);
  if (parsed.kind === "file") {
    throw new ProductError(storeErrors.nameInvalid, {
      message: `invalid model name: ${reference} is a file, not a model of the store.`,
      hint: "Name a model from modelctl list; delete a file yourself.",
      param: "model",
    });
  }
  refuseBuiltInName(parsed.name, "removed", "It takes only a few megabytes.");
  const file = await store.folder.find(parsed.name);
  if (file === undefined) {
    const found = await catalog.find(parsed.name);
    if (found === undefined) throw catalog.notFound(reference);
    throw readOnly(parsed.name, found);
  }
  return file;
}

function readOnly({ display }: ModelName, found: FoundModel): ProductError {
  const isLmStudios = found.kind === "files";
  const name = isLmStudios ? found.model.name.display : display;
  return new ProductError(storeErrors.modelReadOnly, {
    message: `The model '${name}' is in ${isLmStudios ? "LM Studio's folder" : "Ollama's store"}, which this program only reads.`,
    hint: isLmStudios
      ? `Remove it in LM Studio; its file is ${found.model.parts[0]}`
      : `Remove it with: ollama rm ${name}`,
    param: "model",
  });
}
