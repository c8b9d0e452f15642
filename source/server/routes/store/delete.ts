// DELETE /api/delete: unloads a model, unless it is in use under another name, and removes it from the
// store.
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import { describeError, ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import { planRemoval } from "../../../store/library/remove-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { otherModelOf } from "../../loaded-names.ts";
import { DeleteBody, nameIn } from "./schema.ts";

export function registerDelete(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { catalog, store } = dependencies.library;
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
      await unload(dependencies, name);
      await dependencies.removeModel(name);
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
 * What serves another model of the same files too stays for its users. A model in use leaves when its
 * last request has ended, which nobody waits for here.
 */
async function unload(dependencies: ServerDependencies, name: string): Promise<void> {
  const { catalog, scheduler, log } = dependencies;
  // What cannot be found or read is not loaded either; removing tells what is wrong.
  const model = await catalog.resolve(name).catch(() => undefined);
  if (model === undefined || model.origin !== "stored") return;
  const loaded = scheduler.loadedFor(model);
  const heir = loaded && (await otherModelOf(dependencies, loaded, model.name));
  if (heir !== undefined) return;
  // Also what the name meant before, of which nothing is known here.
  const unloading = scheduler.unload(model).catch((error: unknown) => {
    log(`unloading ${name} failed: ${describeError(error)}`);
  });
  if (loaded?.isBusy === false) await unloading;
}
