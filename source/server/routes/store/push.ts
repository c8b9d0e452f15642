// POST /api/push: refused first of all, since there is no registry.
import type { FastifyInstance } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { invalidField, serverErrors } from "../../errors.ts";
import { nameIn, TransferBody } from "./schema.ts";

export function registerPush(app: FastifyInstance): void {
  app.post<{ Body: TransferBody }>(
    "/api/push",
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
