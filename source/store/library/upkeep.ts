// Upkeep of the store in the background: removes unneeded files, never one that is being written,
// and hashes large files that models refer to.
import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { isOlder, removeAbandoned } from "../../base/unfinished-files.ts";
import { isDigest, parseDigest } from "./digest.ts";
import { isReference, layersOf, type Manifest } from "./manifest.ts";
import type { ModelStore } from "./model-store.ts";
import { linksFolder } from "./split-model.ts";

export interface PruneResult {
  removedBlobs: number;
  freedBytes: number;
  /** Reason why nothing was removed: another process writes, or these manifests are unreadable. */
  skipped?: { reason: "busy" } | { reason: "damaged"; manifests: string[] };
}

/** An interrupted download is kept this long, with the blobs it has completed. */
const keptUnusedMs = 14 * 24 * 3600_000;

const nothing = { removedBlobs: 0, freedBytes: 0 };

/** Removes unneeded blobs, links and records of the store, unless a process is writing to it. */
export async function prune(store: ModelStore): Promise<PruneResult> {
  if (!existsSync(store.path)) return nothing;
  const pruned = await store.whileNobodyWrites(async (): Promise<PruneResult> => {
    await store.removeUnfinished();
    await removeAbandoned(store.splitsFolder);
    const { digests, manifests, damaged } = await store.folder.neededBlobs();
    if (damaged.length > 0) {
      return { ...nothing, skipped: { reason: "damaged", manifests: damaged } };
    }
    const contents = manifests.map(({ manifest }) => manifest);
    const removed = await removeBlobs(store, digests);
    await removeLinks(store, contents);
    await store.references.keepOnly(contents.flatMap(({ layers }) => layers.filter(isReference)));
    store.locks.removeOld();
    return removed;
  });
  return pruned?.value ?? { ...nothing, skipped: { reason: "busy" } };
}

async function removeBlobs(store: ModelStore, needed: Set<string>): Promise<PruneResult> {
  const result = { ...nothing };
  for (const name of await readdir(store.folder.blobsFolder)) {
    // The name of a partial download begins with the blob's.
    const blob = name.slice(0, "sha256-".length + 64);
    if (!isDigest(blob)) continue;
    const digest = parseDigest(blob);
    const isWhole = name === blob;
    const file = path.join(store.folder.blobsFolder, name);
    if ((isWhole && needed.has(digest)) || !(await isOlder(file, keptUnusedMs))) continue;
    // A running download, in any process, holds the lock of its digest.
    await store.ifUnlocked(digest, async () => {
      const facts = await stat(file).catch(() => undefined);
      if (facts === undefined || !(await isOlder(file, keptUnusedMs))) return;
      await rm(file, { force: true });
      if (isWhole) result.removedBlobs += 1;
      // Counts blocks, since a partial download has holes. A blob linked to another store frees
      // nothing.
      if (facts.nlink === 1) result.freedBytes += facts.blocks * 512;
    });
  }
  return result;
}

/** Removes old folders of links; they are created again when needed. */
async function removeLinks(store: ModelStore, manifests: readonly Manifest[]): Promise<void> {
  const needed = new Set(
    manifests.flatMap((manifest) => {
      const paths = layersOf(manifest, "model").map((layer) =>
        isReference(layer) ? layer.reference.path : store.blobPath(layer.digest),
      );
      const folder = paths.length > 1 ? linksFolder(paths, store.splitsFolder) : undefined;
      return folder === undefined ? [] : [path.basename(folder)];
    }),
  );
  const folders = await readdir(store.splitsFolder).catch(() => []);
  for (const name of folders) {
    const folder = path.join(store.splitsFolder, name);
    // No manifest of ours needs links to another store's models, which may be in use.
    const isOld = await isOlder(folder, keptUnusedMs);
    if (isOld && !needed.has(name)) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads every referenced file of unknown digest, one at a time. Skips missing and changed files,
 * which are reported when the model is used.
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
