// Lists models from their manifests and small configuration blobs; a damaged one does not hide the
// others.

import { stat } from "node:fs/promises";
import { isMissing } from "./disk-errors.ts";
import { isReference, layersOf, sizeOf } from "./manifest.ts";
import {
  detailsOfConfiguration,
  type ModelConfiguration,
  type ModelDetails,
} from "./model-details.ts";
import type { ManifestFile, ModelFolder, StoreKind } from "./model-folder.ts";
import type { ModelOrigin } from "./resolved-model.ts";
import { readConfiguration } from "./stored-content.ts";

export interface ModelSummary {
  /** With its tag. */
  name: string;
  origin: ModelOrigin;
  store: StoreKind | undefined;
  /** SHA-256, 64 hex digits. */
  digest: string;
  /** Size of everything that belongs to the model. */
  sizeBytes: number;
  modifiedAt: Date;
  details: ModelDetails;
  card: string | undefined;
  examples: readonly string[];
  /** The user's files that the model refers to, with their sizes when it was created. */
  refersTo: readonly { path: string; sizeBytes: number }[];
  /** Files of the store that the model consists of; empty if it has none. */
  blobs: readonly { path: string; sizeBytes: number }[];
}

/** A manifest, or a whole folder, that cannot be listed. */
export interface ListProblem {
  path: string;
  /** One sentence. */
  message: string;
}

export interface ModelListing {
  /** Newest first. */
  models: ModelSummary[];
  problems: ListProblem[];
}

/** The models of one folder, in no order. */
export async function listFolder(folder: ModelFolder): Promise<ModelListing> {
  const models: ModelSummary[] = [];
  const problems: ListProblem[] = [];
  const files = await folder.files().catch((error: unknown): ManifestFile[] => {
    problems.push({ path: folder.path, message: messageOf(error) });
    return [];
  });
  // Models of one publisher and size often share their configuration.
  const configurations = new Map<string, ModelConfiguration>();
  for (const file of files) {
    try {
      const summary = await summaryOf(folder, file, configurations);
      if (summary !== undefined) models.push(summary);
    } catch (error) {
      problems.push({ path: file.path, message: messageOf(error) });
    }
  }
  return { models, problems };
}

/** Undefined for a model in Ollama's cloud, which has only a name on this machine. */
async function summaryOf(
  folder: ModelFolder,
  file: ManifestFile,
  configurations: Map<string, ModelConfiguration>,
): Promise<ModelSummary | undefined> {
  const stored = await folder.read(file);
  const { digest } = stored.manifest.config;
  const configuration = configurations.get(digest) ?? (await readConfiguration(stored));
  configurations.set(digest, configuration);
  if (configuration.remote_host !== undefined) return undefined;
  return {
    name: stored.name.display,
    origin: "stored",
    store: folder.kind,
    digest: stored.digest,
    sizeBytes: sizeOf(stored.manifest),
    modifiedAt: stored.modifiedAt,
    details: detailsOfConfiguration(configuration),
    card: undefined,
    examples: [],
    refersTo: stored.manifest.layers
      .filter(isReference)
      .map(({ reference: { path }, sizeBytes }) => ({ path, sizeBytes })),
    blobs: layersOf(stored.manifest, "model").flatMap((layer) =>
      isReference(layer)
        ? []
        : [{ path: folder.blobPath(layer.digest), sizeBytes: layer.sizeBytes }],
    ),
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface MissingFile {
  /** The model's name, with its tag. */
  model: string;
  path: string;
  /** False if the file is missing; true if it has another size. */
  isThere: boolean;
  /** True for a file of the store, false for a user's. */
  isBlob: boolean;
}

/** Returns the first missing or changed file of each model, by its size alone. */
export async function findMissingFiles(
  models: readonly Pick<ModelSummary, "name" | "refersTo" | "blobs">[],
): Promise<MissingFile[]> {
  // Many models may refer to one file.
  const sizes = new Map<string, Promise<Size>>();
  const sizeOf = (path: string) => {
    const size = sizes.get(path) ?? sizeNow(path);
    sizes.set(path, size);
    return size;
  };
  const lost = models.map(async ({ name: model, refersTo, blobs }): Promise<MissingFile[]> => {
    for (const file of [...refersTo, ...blobs]) {
      const { path, sizeBytes } = file;
      const size = await sizeOf(path);
      if (size === "unknown" || size === sizeBytes) continue;
      return [{ model, path, isThere: size !== "none", isBlob: blobs.includes(file) }];
    }
    return [];
  });
  return (await Promise.all(lost)).flat();
}

/** Size in bytes; unknown when the system denies access. */
type Size = number | "none" | "unknown";

async function sizeNow(path: string): Promise<Size> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    return isMissing(error) ? "none" : "unknown";
  }
}
