// Under which names what is loaded is known: models that share it may be removed meanwhile, by whoever
// writes to the store.
import type { LoadedModel } from "../engine/scheduler/loaded-model.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import type { ModelCatalog } from "../store/model-catalog.ts";
import type { ServerDependencies } from "./dependencies.ts";

type Models = Pick<ServerDependencies, "catalog" | "scheduler">;

/** Another model that was asked for, is there still, and is made of the same files. */
export async function otherModelOf(
  { catalog, scheduler }: Models,
  loaded: LoadedModel,
  name: string,
): Promise<ResolvedModel | undefined> {
  for (const other of loaded.names) {
    if (other === name) continue;
    // It may have been removed, or be made of other files since.
    const model = await catalog.resolve(other).catch(() => undefined);
    if (model !== undefined && scheduler.loadedFor(model) === loaded) return model;
  }
  return undefined;
}

/** Takes the names of models away that are gone, as long as another stands for what is loaded. */
export async function settleNames(models: Models, loaded: LoadedModel): Promise<void> {
  if (loaded.names.size < 2) return;
  for (const name of [...loaded.names]) {
    if (await isThere(models.catalog, name)) continue;
    const heir = await otherModelOf(models, loaded, name);
    if (heir !== undefined) loaded.passOn(name, heir);
  }
}

/** What is there and damaged is not gone. */
async function isThere(catalog: ModelCatalog, name: string): Promise<boolean> {
  const parsed = catalog.parse(name);
  if (parsed.kind === "file") return true;
  return await catalog.find(parsed.name).then(
    (found) => found !== undefined,
    () => true,
  );
}
