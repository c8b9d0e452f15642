// POST /api/pull: brings a model of the hub into the store.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { pullModel } from "../../../store/pull-model.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { parseNewName } from "./new-name.ts";
import { replyWithProgress } from "./progress-reply.ts";
import { nameIn, TransferBody } from "./schema.ts";

export function registerPull(
  app: FastifyInstance,
  { library, requestLog }: ServerDependencies,
): void {
  const { catalog, store, hub, templateProblem } = library;
  app.post<{ Body: TransferBody }>(
    "/api/pull",
    { schema: { body: TransferBody } },
    async (request, reply) => {
      const { body, record } = request;
      const stream = body.stream !== false;
      const name = parseNewName(catalog, nameIn(body));
      if (record !== undefined) requestLog.update(record, { model: name.display, stream });
      // Whoever pulls the same shares its downloads; they stop when the last of them has left.
      const work = replyWithProgress(request, reply, { stream, holdsFirst: false }, async (work) =>
        pullModel(store, name, { ...work, settings: await hub(), templateProblem }),
      );
      return await work.catch((error: unknown) => {
        throw asMissing(error);
      });
    },
  );
}

/** Without a stream, clients of Ollama know a model that is nowhere as 500. */
function asMissing(error: unknown): unknown {
  const isMissing = error instanceof ProductError && error.status === 404;
  return isMissing ? error.reworded({ status: 500 }) : error;
}
