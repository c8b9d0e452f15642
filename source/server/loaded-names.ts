// Names of loaded models. While a model is loaded, the store may remove it or reassign its name.
import type { LoadedModel } from "../engine/scheduler/loaded-model.ts";
import type { ResolvedModel } from "../store/library/resolved-model.ts";
import type { ServerDependencies } from "./dependencies.ts";

type Models = Pick<ServerDependencies, "catalog" | "scheduler">;

/** Returns another requested model that is made of the same files. */
export async function otherModelOf(
  { catalog, scheduler }: Models,
  loaded: LoadedModel,
  name: string,
): Promise<ResolvedModel | undefined> {
  for (const other of loaded.names) {
    if (other === name) continue;
    // It may have been removed or changed since.
    const model = await catalog.resolve(other).catch(() => undefined);
    if (model !== undefined && (await scheduler.loadedFor(model)) === loaded) return model;
  }
  return undefined;
}

/** Drops names that were reassigned or removed, if another name remains. */
export async function dropStaleNames(models: Models, loaded: LoadedModel): Promise<void> {
  if (loaded.names.size < 2) return;
  for (const name of [...loaded.names]) {
    if (await isStillName(models, loaded, name)) continue;
    const successor = await otherModelOf(models, loaded, name);
    if (successor !== undefined) loaded.dropName(name, successor);
  }
}

/** A damaged model keeps its name. */
async function isStillName(
  { catalog, scheduler }: Models,
  loaded: LoadedModel,
  name: string,
): Promise<boolean> {
  const parsed = catalog.parse(name);
  if (parsed.kind === "file") return true;
  try {
    if ((await catalog.find(parsed.name)) === undefined) return false;
    return (await scheduler.loadedFor(await catalog.resolve(name))) === loaded;
  } catch {
    return true;
  }
}
