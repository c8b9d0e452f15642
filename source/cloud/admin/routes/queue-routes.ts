// Routes of queued requests.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import { accessOf } from "../access.ts";
import type { QueuedRequestDocument } from "../documents.ts";
import { type Query, readCount } from "../read-query.ts";
import type { AdminServices } from "../services.ts";

interface Named {
  Params: { id: string };
}

const usualCount = 100;
const largestCount = 10_000;

export function registerQueue(server: FastifyInstance, services: AdminServices): void {
  const { queue, store } = services;
  server.get<{ Querystring: Query }>("/queue", async (request) => {
    const { query } = request;
    const access = accessOf(request, services);
    const app = query.app === undefined ? undefined : access.app(query.app);
    if (app !== undefined) store.apps.get(app);
    const { organisation } = access;
    const of = app ?? (access.isServerWide ? {} : { organisation });
    return queue.list(of, Math.min(largestCount, readCount(query, "lines") ?? usualCount));
  });
  server.get<Named>("/queue/:id", async (request) => find(request, services));
  server.post<Named>("/queue/:id/cancel", async (request) => {
    const { id } = find(request, services);
    return await queue.cancel(id);
  });
  server.delete<{ Params: { app: string } }>("/apps/:app/queue", async (request) => {
    const app = accessOf(request, services).app(request.params.app);
    store.apps.get(app);
    return await queue.purge(app);
  });
}

/** @throws ProductError `CLOUD_QUEUE_REQUEST_UNKNOWN` also for a request outside the caller's access */
function find(request: FastifyRequest<Named>, services: AdminServices): QueuedRequestDocument {
  const { id } = request.params;
  const found = services.queue.find(id);
  if (found !== undefined && accessOf(request, services).covers(found)) return found;
  throw new ProductError(cloudErrors.queueRequestUnknown, {
    message: `Queued request ${id} does not exist.`,
    hint: "Its result may have expired. Run `deployctl queue list` to see all requests.",
  });
}
