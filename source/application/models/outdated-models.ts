// Models of the hub whose repository has other files by now.
import { shownModel } from "../../base/display-text.ts";
import { describeError, ProductError } from "../../base/product-error.ts";
import { findModel } from "../../store/hub/fetch-model.ts";
import type { HubSettings } from "../../store/hub/hub-settings.ts";
import { isReference, layersOf } from "../../store/library/manifest.ts";
import type { ModelSummary } from "../../store/library/model-list.ts";
import type { ModelCatalog } from "../../store/model-catalog.ts";

export interface HubState {
  name: string;
  /** Undefined if the hub could not tell. */
  isOutdated: boolean | undefined;
  /** Size of the repository's files now. */
  sizeBytes?: number;
  problem?: string;
}

/** Repositories that are asked at a time. */
const together = 4;

/** Compares models that were pulled from the hub with their repositories; others are left out. */
export async function hubStates(
  catalog: ModelCatalog,
  models: readonly Pick<ModelSummary, "name" | "store">[],
  work: { settings: HubSettings; signal: AbortSignal },
): Promise<HubState[]> {
  const states: HubState[] = [];
  const waiting = models.filter(({ store }) => store === "modelctl");
  const ask = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const state = await stateOf(catalog, next.name, work);
      if (state !== undefined) states.push(state);
    }
  };
  await Promise.all(Array.from({ length: together }, ask));
  return states.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function stateOf(
  catalog: ModelCatalog,
  reference: string,
  work: { settings: HubSettings; signal: AbortSignal },
): Promise<HubState | undefined> {
  const parsed = catalog.parse(reference);
  if (parsed.kind !== "name" || !parsed.name.isHub) return undefined;
  const found = await catalog.find(parsed.name);
  if (found?.kind !== "stored") return undefined;
  const name = shownModel(reference);
  const own = layersOf(found.stored.manifest, "model").flatMap((layer) =>
    isReference(layer) ? [] : [layer.digest.replace(/^sha256[:-]/, "")],
  );
  try {
    const { namespace: owner, model: repo, tag: selector } = parsed.name;
    const { files, totalBytes } = await findModel({ owner, repo, selector }, work);
    const theirs = files.filter(({ role }) => role === "model").map(({ sha256 }) => sha256);
    // A hash that the hub does not list says nothing.
    const isOutdated = theirs.some((sha256) => sha256 !== undefined && !own.includes(sha256));
    return { name, isOutdated, sizeBytes: totalBytes };
  } catch (error) {
    if (!(error instanceof ProductError)) throw error;
    return { name, isOutdated: undefined, problem: describeError(error) };
  }
}
