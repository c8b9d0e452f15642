// Searches the hub: repositories with their quantizations, and which of them fit into memory.
import { describeError, ProductError } from "../../base/product-error.ts";
import { freeMemoryBytes, roughMemoryNeed } from "../../engine/scheduler/memory-plan.ts";
import { findRepository } from "../../store/hub/fetch-model.ts";
import type { HubSettings } from "../../store/hub/hub-settings.ts";
import { type HubModel, searchModels } from "../../store/hub/search-models.ts";
import { listQuantizations } from "../../store/hub/selection/list-quantizations.ts";
import { hubHosts } from "../../store/model-reference.ts";

export interface FoundModel extends Omit<HubModel, "repo"> {
  /** Reference to pull. */
  name: string;
  quantizations: FoundQuantization[];
  /** Set if the repository's files could not be listed. */
  problem?: string;
}

export interface FoundQuantization {
  selector: string;
  sizeBytes: number;
  isDefault: boolean;
  /** Estimate by the size of the weights and free memory. */
  fits: boolean;
}

export interface HubQuery {
  text: string;
  limit: number;
  settings: HubSettings;
  hubPrefixes: readonly string[];
  signal: AbortSignal;
}

/** @throws ProductError `STORE_HUB_...` if the search fails */
export async function searchHub({
  text,
  limit,
  hubPrefixes,
  ...work
}: HubQuery): Promise<FoundModel[]> {
  const found = await searchModels({ text, limit, order: "downloads" }, work);
  const [host = ""] = hubHosts(hubPrefixes);
  const freeBytes = freeMemoryBytes();
  return await Promise.all(
    found.map(async ({ repo, ...model }) => ({
      name: `${host}/${repo}`,
      ...model,
      ...(await quantizationsOf(repo, work, freeBytes)),
    })),
  );
}

/** Returns the problem for a repository that cannot be listed, such as a gated one. */
async function quantizationsOf(
  repository: string,
  work: Pick<HubQuery, "settings" | "signal">,
  freeBytes: number,
): Promise<Pick<FoundModel, "problem" | "quantizations">> {
  const [owner = "", repo = ""] = repository.split("/");
  try {
    const choices = listQuantizations(await findRepository({ owner, repo }, work));
    return {
      quantizations: choices.map(({ selector, totalBytes, isDefault }) => ({
        selector,
        sizeBytes: totalBytes,
        isDefault,
        fits: roughMemoryNeed(totalBytes).totalBytes <= freeBytes,
      })),
    };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { quantizations: [], problem: describeError(error) };
  }
}
