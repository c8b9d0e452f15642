// Under which names what is loaded is known: models that share it may be removed meanwhile, by whoever
// writes to the store.
import type { LoadedModel } from "../engine/scheduler/loaded-model.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
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

/** Takes the names away that no longer mean what is loaded, as long as another stands for it. */
export async function settleNames(models: Models, loaded: LoadedModel): Promise<void> {
  if (loaded.names.size < 2) return;
  for (const name of [...loaded.names]) {
    if (await isStillName(models, loaded, name)) continue;
    const heir = await otherModelOf(models, loaded, name);
    if (heir !== undefined) loaded.dropName(name, heir);
  }
}

/** What is there and damaged is not gone; a name may mean other files by now. */
async function isStillName(
  { catalog, scheduler }: Models,
  loaded: LoadedModel,
  name: string,
): Promise<boolean> {
  const parsed = catalog.parse(name);
  if (parsed.kind === "file") return true;
  try {
    if ((await catalog.find(parsed.name)) === undefined) return false;
    return scheduler.loadedFor(await catalog.resolve(name)) === loaded;
  } catch {
    return true;
  }
}
