// Fetches one file of the hub into the store, once for all concurrent callers.
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import path from "node:path";
import { SharedWork } from "../../base/shared-work.ts";
import type { BlobFolder } from "../library/model-store.ts";
import { setBlobTime } from "../library/released-blobs.ts";
import { type DownloadTuning, downloadFile, type FileReport } from "./download/download-file.ts";
import { resumableBytes } from "./download/download-notes.ts";
import type { SourceFile } from "./download/file-source.ts";
import { removePartial } from "./download/partial-file.ts";
import type { RateLimit } from "./download/rate-limit.ts";
import type { HubConnection } from "./hub-connection.ts";
import type { HubSettings } from "./hub-settings.ts";
import { canLinkAny, linkBlob } from "./link-blob.ts";
import { cancelled } from "./retry.ts";
import { waitForDownload } from "./wait-for-download.ts";

export interface BlobSource {
  file: SourceFile & { sha256?: string };
  blobs: BlobFolder;
  settings: HubSettings;
}

export interface BlobFetch extends BlobSource {
  connection: HubConnection;
  tuning: DownloadTuning;
  limit: RateLimit | undefined;
  signal: AbortSignal;
  report: (report: FileReport) => void;
}

// One for the process: a blob's path identifies both store and content.
const downloads = new SharedWork<string, FileReport>();

/** A fetch for all callers that want the blob. */
interface SharedFetch extends BlobFetch {
  digest: string;
  target: string;
}

/**
 * @returns the blob's digest, `sha256:` and 64 hex digits
 * @throws ProductError `STORE_HUB_...`
 */
export async function fetchBlob(fetch: BlobFetch): Promise<string> {
  const { blobs, connection, signal, report } = fetch;
  const digest = provisionalDigest(fetch);
  const target = blobs.blobPath(digest);
  return await downloads.join(
    target,
    { signal, report, whenLeft: cancelled },
    async (shared, tell) => {
      const work = { ...fetch, digest, target, signal: shared, report: tell };
      // Other callers may still wait for the file when the first one has left.
      connection.hold();
      try {
        // In turn with other processes.
        return await waitForDownload(blobs, digest, work, () => findOrDownload(work));
      } finally {
        await connection.close();
      }
    },
  );
}

/** Returns the bytes of the file that are on the disk. */
export async function bytesOnDisk(source: BlobSource): Promise<number> {
  const { file, blobs } = source;
  const target = blobs.blobPath(provisionalDigest(source));
  return (await isWhole(target, file)) ? file.sizeBytes : await resumableBytes(target, file);
}

/** Returns true if another store on this machine probably has the file. */
export async function isInOtherStore(source: BlobSource): Promise<boolean> {
  return await canLinkAny(pathsElsewhere(source), source.file);
}

async function findOrDownload(fetch: SharedFetch): Promise<string> {
  const { file, blobs, digest, target, report } = fetch;
  const isThere = await isWhole(target, file);
  // Refreshes the blob's time to protect it from the clean-up.
  if (isThere) await setBlobTime(target, new Date());
  if (isThere || (await isLinked(fetch))) {
    await removePartial(target);
    report({ state: "downloading", completedBytes: file.sizeBytes });
    return digest;
  }
  const destinationOf = (found: string) => blobs.blobPath(`sha256:${found}`);
  return `sha256:${await downloadFile({ ...fetch, destinationOf })}`;
}

async function isLinked(fetch: SharedFetch): Promise<boolean> {
  const { sha256, sizeBytes } = fetch.file;
  if (sha256 === undefined) return false;
  return await linkBlob(pathsElsewhere(fetch), { ...fetch, sha256, sizeBytes });
}

/**
 * Paths where other programs on this machine would keep the content: Ollama, and the cache shared
 * by the hub's own tools and llama.cpp (https://huggingface.co/docs/hub/local-cache).
 */
function pathsElsewhere({ file: { repo, sha256 }, blobs, settings }: BlobSource): string[] {
  if (sha256 === undefined) return [];
  const cached = path.join(`models--${repo.replaceAll("/", "--")}`, "blobs", sha256);
  return [...blobs.blobPathsElsewhere(`sha256:${sha256}`), path.join(settings.cacheFolder, cached)];
}

/** Digest of the content; if the hub lists none, a substitute that names the unfinished file. */
function provisionalDigest({ file, settings }: BlobSource): string {
  const { repo, revision, path, sha256 } = file;
  if (sha256 !== undefined) return `sha256:${sha256}`;
  const name = JSON.stringify([settings.endpoint, repo, revision, path]);
  return `sha256:${createHash("sha256").update(name).digest("hex")}`;
}

async function isWhole(target: string, file: BlobSource["file"]): Promise<boolean> {
  if (file.sha256 === undefined) return false;
  return await stat(target).then(
    (facts) => facts.isFile() && facts.size === file.sizeBytes,
    () => false,
  );
}
