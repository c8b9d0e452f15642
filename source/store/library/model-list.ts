// Lists models from their manifests and small configuration blobs; a damaged one hides no other.

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
  /** The user's files of which the model is made, as long as they were when it was created. */
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
  // Most models of a publisher and size share it.
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

/** Undefined for a model of Ollama's cloud, of which only the name is on this machine. */
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
