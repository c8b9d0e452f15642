// Downloads one file of the hub to a path: resumes, transfers, verifies, and only then renames it
// into place.
import path from "node:path";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../errors.ts";
import { requireRoom } from "../../library/disk-errors.ts";
import type { HubConnection } from "../hub-connection.ts";
import { Retries } from "../retry.ts";
import { FileHasher } from "./file-hasher.ts";
import { type FileLocation, FileSource, SourceChanged, type SourceFile } from "./file-source.ts";
import { defaultPartSizes, type PartSizes } from "./part-queue.ts";
import { PartialFile, removePartial } from "./partial-file.ts";
import type { RateLimit } from "./rate-limit.ts";
import { transfer } from "./transfer.ts";

export interface FileReport {
  state: "downloading" | "verifying" | "retrying";
  /** Bytes of this file that are on the disk. */
  completedBytes: number;
  /** Bytes hashed so far. */
  verifiedBytes?: number;
  /** A sentence for the user. */
  detail?: string;
}

export interface DownloadTuning {
  partSizes: PartSizes;
  /** Interval between notes: a killed process loses at most this much progress. */
  noteIntervalMs: number;
}

export const defaultTuning: DownloadTuning = {
  partSizes: defaultPartSizes,
  noteIntervalMs: 1000,
};

export interface FileDownload {
  connection: HubConnection;
  file: SourceFile & { sha256?: string };
  /** Target path; unfinished bytes are next to it (see `partialPath`). */
  target: string;
  /** Returns the final path of a file whose hash the hub does not list. */
  destinationOf?: (sha256: string) => string;
  tuning: DownloadTuning;
  limit: RateLimit | undefined;
  signal: AbortSignal;
  report: (report: FileReport) => void;
}

const maxStarts = 3;

/** Advice when the disk has no room for a download. */
export const roomHint =
  "Free some space, or choose a smaller quantization. The partial file is kept.";

/**
 * The caller holds the lock of `target`.
 *
 * @returns the file's SHA-256, 64 hex digits
 * @throws ProductError `STORE_HUB_...`; fetched bytes are kept unless they are wrong
 */
export async function downloadFile(download: FileDownload): Promise<string> {
  const { file, target, report } = download;
  for (let starts = 1; ; starts += 1) {
    try {
      return await downloadOnce(download);
    } catch (error) {
      if (!(error instanceof SourceChanged)) throw error;
      await removePartial(target);
      if (starts === maxStarts) throw changesRepeatedly(file.path);
      const detail = `${file.path} changed on the hub: starting over.`;
      report({ state: "retrying", completedBytes: 0, detail });
    }
  }
}

async function downloadOnce(download: FileDownload): Promise<string> {
  const { connection, file, target, tuning, signal, report } = download;
  const source = new FileSource(connection, file);
  const { etag } = await locate(download, source);
  const partial = await PartialFile.open(target, {
    sizeBytes: file.sizeBytes,
    ...(file.sha256 !== undefined && { sha256: file.sha256 }),
    ...(etag !== undefined && { etag }),
  });
  const hasher = new FileHasher(partial.path);
  let isSettled = false;
  try {
    const detail = startDetail(partial, file.path);
    report({ state: "downloading", completedBytes: partial.completedBytes, ...detail });
    const missingBytes = file.sizeBytes - partial.completedBytes;
    await requireRoom(path.dirname(target), missingBytes, roomHint);
    await transfer({
      source,
      file: partial,
      etag,
      partSizes: tuning.partSizes,
      retryPolicy: connection.options.retryPolicy,
      noteIntervalMs: tuning.noteIntervalMs,
      limit: download.limit,
      signal,
      onWritten() {
        hasher.advance(partial.frontBytes);
        report({ state: "downloading", completedBytes: partial.completedBytes });
      },
      onRetry: (text) =>
        report({ state: "retrying", completedBytes: partial.completedBytes, detail: text }),
    });
    const sha256 = await hasher.digest(file.sizeBytes, signal, (verifiedBytes) =>
      report({ state: "verifying", completedBytes: file.sizeBytes, verifiedBytes }),
    );
    isSettled = true;
    if (file.sha256 !== undefined && sha256 !== file.sha256) {
      await partial.discard();
      throw hashMismatch(file.path);
    }
    await partial.finish(download.destinationOf?.(sha256) ?? target);
    return sha256;
  } finally {
    await hasher.close();
    if (!isSettled) await partial.keep();
  }
}

/** Asks the hub for the file's facts before anything is written. */
async function locate(download: FileDownload, source: FileSource): Promise<FileLocation> {
  const { connection, signal, report } = download;
  const retries = new Retries(connection.options.retryPolicy);
  while (true) {
    try {
      return await source.locate(signal);
    } catch (error) {
      await retries.waitAfter(error, signal, (detail) =>
        report({ state: "retrying", completedBytes: 0, detail }),
      );
    }
  }
}

function startDetail(partial: PartialFile, file: string): { detail?: string } {
  const { restartReason, completedBytes, identity } = partial;
  if (restartReason !== undefined) return { detail: `Starting over: ${restartReason}.` };
  if (completedBytes === 0) return {};
  const percent = Math.floor((completedBytes / identity.sizeBytes) * 100);
  return { detail: `Resuming ${path.posix.basename(file)} at ${percent} %.` };
}

function hashMismatch(file: string): ProductError {
  return new ProductError(storeErrors.hubHashMismatch, {
    message: `The SHA-256 of ${file} does not match the hub's. The download was deleted.`,
    hint: "Run the command again. If it fails again, a proxy or the mirror in HF_ENDPOINT alters files.",
  });
}

function changesRepeatedly(file: string): ProductError {
  return new ProductError(storeErrors.hubReplyInvalid, {
    message: `${file} changed repeatedly on the hub during the download.`,
    hint: "Try again later.",
  });
}
