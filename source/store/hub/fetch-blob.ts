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

/**
 * @returns the blob's digest, `sha256:` and 64 hex digits
 * @throws ProductError `STORE_HUB_...`
 */
export async function fetchBlob(fetch: BlobFetch): Promise<string> {
  const { blobs, signal, report } = fetch;
  return await downloads.join(
    blobs.blobPath(provisionalDigest(fetch)),
    { signal, report, whenLeft: cancelled },
    (shared, tell) => holdingConnection({ ...fetch, signal: shared, report: tell }, inTurn),
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

/**
 * Keeps the connection open for other callers that wait for the file after the first one has left.
 */
async function holdingConnection<T>(
  fetch: BlobFetch,
  work: (fetch: BlobFetch) => Promise<T>,
): Promise<T> {
  fetch.connection.hold();
  try {
    return await work(fetch);
  } finally {
    await fetch.connection.close();
  }
}

/** Runs when no other process downloads the same file. */
async function inTurn(fetch: BlobFetch): Promise<string> {
  const { blobs } = fetch;
  const digest = provisionalDigest(fetch);
  const wanted = { ...fetch, target: blobs.blobPath(digest) };
  return await waitForDownload(blobs, digest, wanted, () => findOrDownload(fetch));
}

async function findOrDownload(fetch: BlobFetch): Promise<string> {
  const { file, blobs, connection, tuning, limit, signal, report } = fetch;
  const digest = provisionalDigest(fetch);
  const target = blobs.blobPath(digest);
  if (await isWhole(target, file)) {
    await removePartial(target);
    // Refreshes the blob's time to protect it from the clean-up.
    await setBlobTime(target, new Date());
    report({ state: "downloading", completedBytes: file.sizeBytes });
    return digest;
  }
  if (await isLinked({ ...fetch, target })) {
    report({ state: "downloading", completedBytes: file.sizeBytes });
    return digest;
  }
  const sha256 = await downloadFile({
    connection,
    file,
    target,
    destinationOf: (found) => blobs.blobPath(`sha256:${found}`),
    tuning,
    ...(limit !== undefined && { limit }),
    signal,
    report,
  });
  return `sha256:${sha256}`;
}

async function isLinked(fetch: BlobFetch & { target: string }): Promise<boolean> {
  const { file, target, signal, report } = fetch;
  const { sha256, sizeBytes } = file;
  if (sha256 === undefined) return false;
  const wanted = { sha256, sizeBytes, target, signal, report };
  const linked = await linkBlob(pathsElsewhere(fetch), wanted);
  if (linked) await removePartial(target);
  return linked;
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
