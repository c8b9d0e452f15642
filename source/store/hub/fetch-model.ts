// `modelctl pull` of a hub reference: finds the files that make up the model and brings them into
// the store.
import path from "node:path";
import { requireRoom } from "../library/disk-errors.ts";
import type { BlobFolder } from "../library/model-store.ts";
import { type DownloadTuning, defaultTuning, roomHint } from "./download/download-file.ts";
import { RateLimit } from "./download/rate-limit.ts";
import { bytesOnDisk, fetchBlob, isInOtherStore } from "./fetch-blob.ts";
import { type ConnectionOptions, HubConnection } from "./hub-connection.ts";
import { type HubProgress, ProgressSum, retrying } from "./hub-progress.ts";
import type { HubSettings } from "./hub-settings.ts";
import { type Repository, readRepository } from "./repository.ts";
import { type RepositoryDefaults, readRepositoryDefaults } from "./repository-defaults.ts";
import { type ChosenFile, chooseModel, type ModelChoice } from "./selection/choose-files.ts";

export interface HubReference {
  owner: string;
  repo: string;
  /**
   * A quantization in any case, or a file's name or path; absent or `latest`: the default choice.
   */
  selector?: string;
  /** Branch, tag or commit; absent: `main`. */
  revision?: string;
}

export interface HubRequest {
  settings: HubSettings;
  onProgress?: (progress: HubProgress) => void;
  /** Called with the chosen files before the first is fetched. */
  onChoice?: (choice: ModelChoice) => void;
  /** Stops the download; fetched bytes are kept for the next time. */
  signal?: AbortSignal;
  limitRateBytesPerSecond?: number;
  connection?: Partial<ConnectionOptions>;
  tuning?: DownloadTuning;
}

export interface ModelFetch extends HubRequest {
  blobs: BlobFolder;
}

export interface FetchedFile extends ChosenFile {
  /** `sha256:` and 64 hex digits. */
  digest: string;
  /** Its path in the store. */
  blobPath: string;
}

export interface FetchedModel extends ModelChoice {
  files: FetchedFile[];
  defaults: RepositoryDefaults;
}

/**
 * Lists what would be fetched, without fetching it.
 * @throws ProductError `STORE_HUB_...`
 */
export async function findModel(
  reference: HubReference,
  request: HubRequest,
): Promise<ModelChoice> {
  return chooseModel(await findRepository(reference, request), reference.selector);
}

/**
 * Lists the current files of a repository.
 *
 * @throws ProductError `STORE_HUB_...`
 */
export async function findRepository(
  reference: Omit<HubReference, "selector">,
  request: Pick<HubRequest, "settings" | "onProgress" | "signal" | "connection">,
): Promise<Repository> {
  return await connected(request, (work) => listRepository(reference, work));
}

/**
 * Fetches every file of the model into the store; the caller writes the manifest.
 * @throws ProductError `STORE_HUB_...`; files fetched by then are kept
 */
export async function fetchModel(
  reference: HubReference,
  request: ModelFetch,
): Promise<FetchedModel> {
  return await connected(request, async (work) => {
    const repository = await listRepository(reference, work);
    const choice = chooseModel(repository, reference.selector);
    request.onChoice?.(choice);
    const defaults = await readRepositoryDefaults(repository, work);
    return { ...choice, defaults, files: await fetchFiles(choice, request, work) };
  });
}

interface ConnectedWork {
  connection: HubConnection;
  signal: AbortSignal;
  onRetry: (detail: string) => void;
}

/** Uses one connection for all requests: a new one costs several round trips. */
async function connected<T>(
  request: Pick<HubRequest, "settings" | "onProgress" | "signal" | "connection">,
  work: (work: ConnectedWork) => Promise<T>,
): Promise<T> {
  const { settings, onProgress, signal = new AbortController().signal } = request;
  const connection = new HubConnection(settings, request.connection);
  try {
    const onRetry = (detail: string) => onProgress?.(retrying(detail));
    return await work({ connection, signal, onRetry });
  } finally {
    await connection.close();
  }
}

async function listRepository(
  { owner, repo, revision = "main" }: Omit<HubReference, "selector">,
  { connection, ...question }: ConnectedWork,
): Promise<Repository> {
  return await readRepository(connection, { ...question, repo: `${owner}/${repo}`, revision });
}

async function fetchFiles(
  choice: ModelChoice,
  request: ModelFetch,
  { connection, signal }: ConnectedWork,
): Promise<FetchedFile[]> {
  const { blobs, settings } = request;
  const progress = new ProgressSum(choice.files, request.onProgress ?? (() => {}));
  const limit = rateLimitOf(request);
  const sources = choice.files.map((chosen) => ({
    chosen,
    file: { ...chosen, repo: choice.repo, revision: choice.revision },
  }));
  let presentTotal = 0;
  for (const { file, chosen } of sources) {
    const completedBytes = await bytesOnDisk({ file, blobs, settings });
    const needsNoRoom = await isInOtherStore({ file, blobs, settings });
    presentTotal += needsNoRoom ? file.sizeBytes : completedBytes;
    progress.begin(chosen, completedBytes);
  }
  // All blobs are in one folder, whatever their digests.
  const folder = path.dirname(blobs.blobPath(`sha256:${"0".repeat(64)}`));
  await requireRoom(folder, choice.totalBytes - presentTotal, roomHint);
  const fetched: FetchedFile[] = [];
  for (const { chosen, file } of sources) {
    const digest = await fetchBlob({
      file,
      blobs,
      settings,
      connection,
      tuning: request.tuning ?? defaultTuning,
      limit,
      signal,
      report: (report) => progress.note(chosen, report),
    });
    fetched.push({ ...chosen, digest, blobPath: blobs.blobPath(digest) });
  }
  progress.done();
  return fetched;
}

export function rateLimitOf({ limitRateBytesPerSecond }: HubRequest): RateLimit | undefined {
  return limitRateBytesPerSecond === undefined ? undefined : new RateLimit(limitRateBytesPerSecond);
}
