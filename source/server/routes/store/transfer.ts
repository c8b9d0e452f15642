// POST /api/pull downloads a model from the hub into the store; POST /api/push is refused.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { invalidField, serverErrors } from "../../errors.ts";
import { replyWithProgress } from "./progress-reply.ts";
import { nameIn, parseNewName, TransferBody } from "./schema.ts";

export function registerPull(
  app: FastifyInstance,
  { library, requestLog }: ServerDependencies,
): void {
  const { catalog } = library;
  app.post<{ Body: TransferBody }>(
    "/pull",
    { schema: { body: TransferBody } },
    async (request, reply) => {
      const { body, record } = request;
      const stream = body.stream !== false;
      const name = parseNewName(catalog, nameIn(body));
      if (record !== undefined) requestLog.update(record, { model: name.display, stream });
      // Pulls of the same model share downloads, which stop when the last client has left.
      const pulling = replyWithProgress(reply, { stream, holdsFirst: false }, (work) =>
        library.pull(name, work),
      );
      return await pulling.catch((error: unknown) => {
        throw asMissing(error);
      });
    },
  );
}

/** Without a stream, clients of Ollama expect 500 for an unknown model. */
function asMissing(error: unknown): unknown {
  const isMissing = error instanceof ProductError && error.status === 404;
  return isMissing ? error.reworded({ status: 500 }) : error;
}

/** Known to clients of Ollama, but there is no registry to push to. */
export function registerPush(app: FastifyInstance): void {
  app.post<{ Body: TransferBody }>(
    "/push",
    { schema: { body: TransferBody } },
    async ({ body }) => {
      const name = nameIn(body);
      if (name === "") throw invalidField("model", "model is required");
      throw new ProductError(serverErrors.routeUnavailable, {
        message: `push is not supported: there is no registry to send '${name}' to.`,
        hint: "modelctl export writes a model into one file for another machine.",
      });
    },
  );
}
