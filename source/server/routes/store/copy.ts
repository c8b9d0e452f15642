// POST /api/copy: gives a model a second name.
import type { FastifyInstance } from "fastify";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import { storeErrors } from "../../../store/errors.ts";
import type { ModelCatalog } from "../../../store/model-catalog.ts";
import type { ModelName } from "../../../store/model-reference.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { CopyBody, parseStoredName } from "./schema.ts";

export function registerCopy(app: FastifyInstance, { library }: ServerDependencies): void {
  const { catalog } = library;
  app.post<{ Body: CopyBody }>(
    "/copy",
    { schema: { body: CopyBody } },
    async ({ body: { source = "", destination = "" } }, reply) => {
      parseEnd(catalog, "source", source);
      const name = parseEnd(catalog, "destination", destination);
      await library.copy(source, name).catch((error: unknown) => {
        const isMissing =
          error instanceof ProductError && error.code === storeErrors.modelNotFound.code;
        throw isMissing
          ? error.reworded({ message: `model ${quoteShort(source)} not found`, param: "source" })
          : error;
      });
      return await reply.code(200).send();
    },
  );
}

function parseEnd(catalog: ModelCatalog, end: "source" | "destination", text: string): ModelName {
  return parseStoredName(catalog, text, {
    message: `${end} ${quoteShort(text)} is invalid`,
    hint: "Names look like my-model or my-model:tag.",
    param: end,
  });
}
