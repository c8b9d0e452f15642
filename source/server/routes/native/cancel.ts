// POST /api/cancel: ends a running request of any API by its id.
import type { FastifyInstance } from "fastify";
import { type Static, Type } from "typebox";
import { quoteShort } from "../../../base/display-text.ts";
import { ProductError } from "../../../base/product-error.ts";
import { canAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { serverErrors } from "../../errors.ts";

export const CancelBody = Type.Object({
  /** As `x-request-id` and `GET /api/requests` tell it. */
  id: Type.String(),
});
export type CancelBody = Static<typeof CancelBody>;

export function registerCancel(
  app: FastifyInstance,
  { requestLog }: Pick<ServerDependencies, "requestLog">,
): void {
  app.post<{ Body: CancelBody }>(
    "/api/cancel",
    { schema: { body: CancelBody } },
    async (request) => {
      const { id } = request.body;
      const record = requestLog.find(id);
      // The log forgets old records; then only who may manage can tell whose request it is.
      const isTheirs = canAccess(request, record ?? { keyId: undefined });
      const controller = isTheirs ? app.cancellations.get(id) : undefined;
      if (controller === undefined) {
        throw new ProductError(serverErrors.requestNotFound, {
          message: `request ${quoteShort(id)} not found: it has ended, or there never was one.`,
          hint: "GET /api/requests lists the requests and their ids.",
          param: "id",
        });
      }
      controller.abort();
      return { id, status: "cancelled" };
    },
  );
}
