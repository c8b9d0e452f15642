// Routes of keys and their usage.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { accessOf } from "../access.ts";
import { type Query, readCount, readFlag } from "../read-query.ts";
import { KeyBody, RotateBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

interface Named {
  Params: { id: string };
}

export function registerKeys(server: FastifyInstance, services: AdminServices): void {
  const { keys } = services;
  server.get("/keys", async (request) => {
    const access = accessOf(request, services);
    return keys.list().filter((key) => access.covers(key));
  });
  server.post<{ Body: KeyBody }>("/keys", { schema: { body: KeyBody } }, async (request, reply) => {
    const { body } = request;
    const organisation = accessOf(request, services).organisationFor(body.organisation);
    for (const app of body.apps ?? []) services.store.environments.checkApp({ organisation, app });
    return reply.code(201).send(keys.create({ ...body, organisation }));
  });
  server.delete<Named & { Querystring: Query }>("/keys/:id", async (request) => {
    checkAccess(request, services);
    return keys.revoke(request.params.id, readFlag(request.query, "hard"));
  });
  server.post<Named & { Body: RotateBody }>(
    "/keys/:id/rotate",
    { schema: { body: RotateBody } },
    async (request, reply) => {
      checkAccess(request, services);
      return reply.code(201).send(keys.rotate(request.params.id, request.body.graceMs));
    },
  );
  registerUsage(server, services);
}

function registerUsage(server: FastifyInstance, services: AdminServices): void {
  const { usage, store } = services;
  server.get<{ Querystring: Query }>("/usage", async (request) => {
    const { query } = request;
    const access = accessOf(request, services);
    const named = query.app === undefined ? undefined : access.app(query.app);
    const figures = usage.usage({ ...named, sinceMs: readCount(query, "since") ?? 0 });
    // A deleted app still has usage; an app that never existed is a mistyped name.
    if (figures.length === 0 && named !== undefined) store.apps.get(named);
    return figures.filter((each) => access.covers(each));
  });
  server.get("/metrics", async (request, reply) => {
    accessOf(request, services).requireServerAccess();
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await usage.metrics());
  });
}

/** @throws ProductError `CLOUD_KEY_UNKNOWN` also for a key of an organisation outside the caller's access */
function checkAccess(request: FastifyRequest<Named>, services: AdminServices): void {
  const { isServerWide, organisation } = accessOf(request, services);
  services.keys.find(request.params.id, isServerWide ? undefined : organisation);
}
