// DELETE /api/delete: removes a model, and unloads it unless another name uses it.
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import { describeError } from "../../../base/product-error.ts";
import { planRemoval } from "../../../store/library/remove-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField } from "../../errors.ts";
import { otherModelOf } from "../../loaded-names.ts";
import { DeleteBody, nameIn, parseStoredName } from "./schema.ts";

export function registerDelete(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, library } = dependencies;
  const { catalog, store } = library;
  app.delete<{ Body: DeleteBody }>(
    "/delete",
    { schema: { body: DeleteBody } },
    async ({ body, record }, reply) => {
      const name = nameIn(body);
      if (name === "") throw invalidField("model", "model is required");
      parseStoredName(catalog, name, {
        message: `name ${quoteShort(name)} is invalid`,
        hint: "Name a model that GET /api/tags lists.",
        param: "model",
      });
      if (body.dry_run === true) {
        // The log tells it from a deletion.
        if (record !== undefined) requestLog.update(record, { parameters: { dry_run: true } });
        const plan = await planRemoval(catalog, store, name);
        return await reply.send({
          name: plan.name.display,
          freed_bytes: plan.freedBytes,
          shared_bytes: plan.sharedBytes,
          referred_bytes: plan.referredBytes,
        });
      }
      await unload(dependencies, name);
      await library.remove(name);
      return await reply.code(200).send();
    },
  );
}

/**
 * Keeps a loaded model that serves another name too. A model in use unloads after its last request,
 * without waiting here.
 */
async function unload(dependencies: ServerDependencies, name: string): Promise<void> {
  const { catalog, scheduler, log } = dependencies;
  // A missing or unreadable model is not loaded either; removing it reports the error.
  const model = await catalog.resolve(name).catch(() => undefined);
  if (model === undefined || model.origin !== "stored") return;
  const loaded = await scheduler.loadedFor(model);
  const heir = loaded && (await otherModelOf(dependencies, loaded, model.name));
  if (heir !== undefined) return;
  // Also unloads the files that the name meant before.
  const unloading = scheduler.unload(model).catch((error: unknown) => {
    log(`unloading ${name} failed: ${describeError(error)}`);
  });
  if (loaded?.isBusy === false) await unloading;
}
