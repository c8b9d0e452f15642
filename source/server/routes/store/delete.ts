// DELETE /api/delete: unloads a model, unless it is in use under another name, and removes it from the
// store.
import type { FastifyInstance } from "fastify";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { quoteShort } from "../../../base/seen-text.ts";
import type { LoadedModel } from "../../../engine/scheduler/loaded-model.ts";
import { storeErrors } from "../../../store/errors.ts";
import { planRemoval, removeModel } from "../../../store/library/remove-model.ts";
import type { ResolvedModel } from "../../../store/library/resolved-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { DeleteBody, nameIn } from "./schema.ts";

export function registerDelete(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, store } = dependencies.workshop;
  app.delete<{ Body: DeleteBody }>(
    "/api/delete",
    { schema: { body: DeleteBody } },
    async ({ body }, reply) => {
      const name = nameIn(body);
      if (name === "") throw invalidField("model", "model is required");
      checkName(dependencies, name);
      if (body.dry_run === true) {
        const plan = await planRemoval(catalog, store, name);
        return await reply.send({
          name: plan.name.display,
          freed_bytes: plan.freedBytes,
          shared_bytes: plan.sharedBytes,
          referred_bytes: plan.referredBytes,
        });
      }
      const left = await leave(dependencies, name);
      await removeModel(catalog, store, name);
      left();
      return await reply.code(200).send();
    },
  );
}

/** Clients of Ollama look for this very text. */
function checkName({ catalog }: ServerDependencies, name: string): void {
  try {
    if (catalog.parse(name).kind === "name") return;
  } catch (error) {
    const isName = error instanceof ProductError && error.code === storeErrors.nameInvalid.code;
    if (!isName) throw error;
  }
  throw new ProductError(storeErrors.nameInvalid, {
    message: `name ${quoteShort(name)} is invalid`,
    hint: "Name a model that GET /api/tags lists.",
    param: "model",
  });
}

/**
 * Unloads the model. One that serves other models of the same files too stays for their users; what is
 * returned, to be called when it is removed, takes its name away.
 */
async function leave(dependencies: ServerDependencies, name: string): Promise<() => void> {
  const { catalog, scheduler } = dependencies;
  const nothing = () => {};
  // What cannot be found or read is not loaded either; removing tells what is wrong.
  const model = await catalog.resolve(name).catch(() => undefined);
  if (model === undefined || model.origin !== "stored") return nothing;
  const loaded = scheduler.loadedFor(model);
  if (loaded === undefined) return nothing;
  const heir = await findHeir(dependencies, loaded, model);
  if (heir !== undefined) return () => loaded.passOn(model.name, heir);
  await unload(dependencies, model, loaded);
  return nothing;
}

/** Another model that was asked for, and that what is loaded serves. */
async function findHeir(
  { catalog, scheduler }: ServerDependencies,
  loaded: LoadedModel,
  model: ResolvedModel,
): Promise<ResolvedModel | undefined> {
  for (const name of loaded.names) {
    if (name === model.name) continue;
    // It may have been removed, or be made of other files since.
    const other = await catalog.resolve(name).catch(() => undefined);
    if (other !== undefined && scheduler.loadedFor(other) === loaded) return other;
  }
  return undefined;
}

/** A model in use leaves when its last request has ended, which nobody waits for here. */
async function unload(
  { scheduler, log }: ServerDependencies,
  model: ResolvedModel,
  loaded: LoadedModel,
): Promise<void> {
  const unloading = scheduler.unload(model).catch((error: unknown) => {
    log(`unloading ${model.name} failed: ${describeError(error)}`);
  });
  if (!loaded.isBusy) await unloading;
}
