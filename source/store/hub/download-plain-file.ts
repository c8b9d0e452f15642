// `modelctl download`: saves a file of a repository in a user's folder, outside the store.
import { stat } from "node:fs/promises";
import path from "node:path";
import { ProductError } from "../../base/product-error.ts";
import { storeErrors } from "../errors.ts";
import { isMissing, requireRoom } from "../library/disk-errors.ts";
import {
  defaultTuning,
  downloadFile,
  type FileDownload,
  roomHint,
} from "./download/download-file.ts";
import { resumableBytes } from "./download/download-notes.ts";
import { FileHasher } from "./download/file-hasher.ts";
import { type HubRequest, rateLimitOf } from "./fetch-model.ts";
import { HubConnection } from "./hub-connection.ts";
import { ProgressSum, retrying } from "./hub-progress.ts";
import { type Repository, type RepositoryFile, readRepository } from "./repository.ts";
import { chooseModel, findFile } from "./selection/choose-files.ts";
import { fileName, isGguf } from "./selection/quantization.ts";
import { type Locks, waitForDownload } from "./wait-for-download.ts";

export interface PlainDownload extends HubRequest {
  /** `owner/name` */
  repo: string;
  /** A path in the repository, a file name, or a quantization followed by `.gguf`. */
  path: string;
  /** Branch, tag or commit; absent: `main`. */
  revision?: string;
  /** Target folder; the file keeps its name without the repository's folders. */
  localFolder: string;
  /** Prevents two downloads of one file at a time. */
  locks: Locks;
  /** Allows replacing a different file of the same name. Defaults to false. */
  replace?: boolean;
}

export interface SavedFile {
  /** In the repository. */
  path: string;
  /** Absolute. */
  localPath: string;
  sizeBytes: number;
  /** 64 hex digits. */
  sha256: string;
  /** True if the file existed already and was only verified. */
  wasThere: boolean;
}

/**
 * Saves the file, or every shard of a split quantization.
 *
 * @throws ProductError `STORE_HUB_...`; the partial file is kept for resuming
 */
export async function downloadPlainFile(download: PlainDownload): Promise<SavedFile[]> {
  const { settings, localFolder, signal = new AbortController().signal } = download;
  const { onProgress = () => {} } = download;
  const folder = path.resolve(localFolder);
  const limit = rateLimitOf(download);
  const connection = new HubConnection(settings, download.connection);
  try {
    const repository = await readRepository(connection, {
      repo: download.repo,
      revision: download.revision ?? "main",
      signal,
      onRetry: (detail) => onProgress(retrying(detail)),
    });
    const files = chooseFiles(repository, download.path);
    await requireRoom(folder, await neededBytes(folder, files), roomHint);
    const progress = new ProgressSum(files, onProgress);
    const saved: SavedFile[] = [];
    for (const file of files) {
      const localPath = path.join(folder, fileName(file.path));
      const { sha256, wasThere } = await saveInTurn(download.locks, {
        connection,
        file: { ...file, repo: repository.repo, revision: repository.commit },
        target: localPath,
        replace: download.replace ?? false,
        tuning: download.tuning ?? defaultTuning,
        limit,
        signal,
        report: (report) => progress.note(file, report),
      });
      saved.push({ path: file.path, localPath, sizeBytes: file.sizeBytes, sha256, wasThere });
    }
    progress.done();
    return saved;
  } finally {
    await connection.close();
  }
}

function chooseFiles(repository: Repository, name: string): RepositoryFile[] {
  const file = findFile(repository.files, name);
  if (file !== undefined) return [file];
  if (isGguf(name)) {
    return chooseModel(repository, name).files.filter(({ role }) => role === "model");
  }
  throw new ProductError(storeErrors.hubFileNotFound, {
    message: `${repository.repo} has no file ${JSON.stringify(name)}.`,
    hint: "Name a file of the repository, or a quantization followed by .gguf.",
  });
}

interface FileSave extends FileDownload {
  replace: boolean;
}

async function saveInTurn(
  locks: Locks,
  save: FileSave,
): Promise<Pick<SavedFile, "sha256" | "wasThere">> {
  return await waitForDownload(locks, `file ${save.target}`, save, async () => {
    const there = await existingHash(save);
    return there === undefined
      ? { sha256: await downloadFile(save), wasThere: false }
      : { sha256: there, wasThere: true };
  });
}

/** Returns the hash of an existing file, if it is the wanted one. */
async function existingHash(save: FileSave): Promise<string | undefined> {
  const { file, target, replace } = save;
  const facts = await stat(target).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (facts === undefined) return undefined;
  if (facts.isFile() && facts.size === file.sizeBytes) {
    const sha256 = await hashOf(save);
    if (file.sha256 === undefined || file.sha256 === sha256) return sha256;
  }
  if (facts.isFile() && replace) return undefined;
  throw new ProductError(storeErrors.hubFileExists, {
    message: `${target} exists and differs from the file on the hub.`,
    hint: "Move it, or choose another folder.",
  });
}

async function hashOf({ file, target, signal, report }: FileSave): Promise<string> {
  const hasher = new FileHasher(target);
  try {
    const completedBytes = file.sizeBytes;
    report({
      state: "verifying",
      completedBytes,
      detail: `${target} already exists: verifying it.`,
    });
    return await hasher.digest(file.sizeBytes, signal, (verifiedBytes) =>
      report({ state: "verifying", completedBytes, verifiedBytes }),
    );
  } finally {
    await hasher.close();
  }
}

/** Returns the bytes still to be downloaded, without files that exist already. */
async function neededBytes(folder: string, files: readonly RepositoryFile[]): Promise<number> {
  let needed = 0;
  for (const file of files) {
    const localPath = path.join(folder, fileName(file.path));
    const facts = await stat(localPath).catch(() => undefined);
    if (facts?.size === file.sizeBytes) continue;
    needed += file.sizeBytes - (await resumableBytes(localPath, file));
  }
  return needed;
}
