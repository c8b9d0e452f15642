// Removes unneeded files from the store, and nothing that anybody is writing.
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

/**
 * A download that was broken off stays this long, with the blobs that it had finished: nobody
 * downloads a hundred gigabytes twice because a disk was full.
 */
const keptUnusedMs = 14 * 24 * 3600_000;

const nothing = { removedBlobs: 0, freedBytes: 0 };

/** To be called when a server starts. */
export async function prune(store: ModelStore): Promise<PruneResult> {
  if (!existsSync(store.path)) return nothing;
  const pruned = await store.whileNobodyWrites(async (): Promise<PruneResult> => {
    await store.removeUnfinished();
    await removeAbandoned(store.splitsFolder);
    const { digests, manifests, damaged } = await store.neededBlobs();
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
    // A partial download has the blob's name in front.
    const blob = name.slice(0, "sha256-".length + 64);
    if (!isDigest(blob)) continue;
    const digest = parseDigest(blob);
    const isWhole = name === blob;
    const file = path.join(store.folder.blobsFolder, name);
    if ((isWhole && needed.has(digest)) || !(await isOlder(file, keptUnusedMs))) continue;
    // A download in this moment, in whatever process, holds the lock of its digest.
    await store.ifUnlocked(digest, async () => {
      const facts = await stat(file).catch(() => undefined);
      if (facts === undefined || !(await isOlder(file, keptUnusedMs))) return;
      await rm(file, { force: true });
      if (isWhole) result.removedBlobs += 1;
      // A partial download has holes: its size tells less than what it takes. What was linked from
      // another store stays there.
      if (facts.nlink === 1) result.freedBytes += facts.blocks * 512;
    });
  }
  return result;
}

/** Missing links are made again when they are needed. */
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
    // Links to another store's models are in no manifest of ours.
    const isOld = await isOlder(folder, keptUnusedMs);
    if (isOld && !needed.has(name)) await rm(folder, { recursive: true, force: true });
  }
}
