// Computes the digests of large files that models refer to, when there is time for it.
import { isReference } from "./manifest.ts";
import type { ModelStore } from "./model-store.ts";

/**
 * Reads every referenced file whose digest is not known, one after the other; what is missing or
 * changed is left to be told when the model is used. For a server to call in the background.
 *
 * @returns the number of files that were read
 */
export async function hashReferences(store: ModelStore, signal?: AbortSignal): Promise<number> {
  let hashed = 0;
  for (const file of await store.folder.files()) {
    const stored = await store.folder.read(file).catch(() => undefined);
    for (const layer of stored?.manifest.layers ?? []) {
      signal?.throwIfAborted();
      if (!isReference(layer)) continue;
      if ((await store.references.knownDigest(layer)) !== undefined) continue;
      const digest = store.references.digest(layer, file.name, { signal });
      await digest.then(
        () => (hashed += 1),
        () => signal?.throwIfAborted(),
      );
    }
  }
  return hashed;
}
