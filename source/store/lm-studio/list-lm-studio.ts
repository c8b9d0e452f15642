// LM Studio's models: their list, and the facts needed to run one.
import type { GgufCache } from "../library/gguf-cache.ts";
import { detailsOf } from "../library/model-details.ts";
import type { ModelListing, ModelSummary } from "../library/model-list.ts";
import { nothingSaid, type ResolvedModel } from "../library/resolved-model.ts";
import type { FolderModel, LmStudioFolder } from "./lm-studio-folder.ts";

const place = { origin: "stored", store: "lm-studio" } as const;

/**
 * The models of the folder, in no order; one whose files cannot be read hides no other.
 *
 * @param cache for looking into the files; without it, their details are unknown
 */
export async function listLmStudio(
  folder: LmStudioFolder,
  cache: GgufCache | undefined,
): Promise<ModelListing> {
  const { models, problems } = await folder.models();
  const summaries: ModelSummary[] = [];
  for (const { name, parts, sizeBytes, modifiedAt, digest } of models) {
    try {
      const details = cache === undefined ? detailsOf([]) : (await cache.read(parts)).details;
      const shown = { name: name.display, ...place, digest, sizeBytes, modifiedAt, details };
      summaries.push({ ...shown, card: undefined, examples: [], refersTo: [], blobs: [] });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push({ path: parts[0] ?? folder.path, message });
    }
  }
  return { models: summaries, problems };
}

/** @throws ProductError those of `readGgufFacts` */
export async function resolveLmStudio(
  { name, parts, projectors, sizeBytes, modifiedAt, digest }: FolderModel,
  cache: GgufCache,
): Promise<ResolvedModel> {
  const { facts, details } = await cache.read(parts);
  return {
    ...nothingSaid(),
    ...place,
    name: name.display,
    facts,
    parts,
    parameters: {},
    digest,
    sizeBytes,
    modifiedAt,
    details,
    projectors,
  };
}
