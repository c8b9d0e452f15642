// Keys, and what was done with them.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { reachOf } from "../reach.ts";
import { type Query, readCount, readFlag } from "../read-query.ts";
import { KeyBody, RotateBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

interface Named {
  Params: { id: string };
}

export function registerKeys(server: FastifyInstance, services: AdminServices): void {
  const { keys } = services;
  server.get("/keys", async (request) => {
    const reach = reachOf(request, services);
    return keys.list().filter((key) => reach.covers(key));
  });
  server.post<{ Body: KeyBody }>("/keys", { schema: { body: KeyBody } }, async (request, reply) => {
    const { body } = request;
    const organisation = reachOf(request, services).organisationFor(body.organisation);
    return reply.code(201).send(keys.create({ ...body, organisation }));
  });
  server.delete<Named & { Querystring: Query }>("/keys/:id", async (request) => {
    checkReach(request, services);
    return keys.revoke(request.params.id, readFlag(request.query, "hard"));
  });
  server.post<Named & { Body: RotateBody }>(
    "/keys/:id/rotate",
    { schema: { body: RotateBody } },
    async (request, reply) => {
      checkReach(request, services);
      return reply.code(201).send(keys.rotate(request.params.id, request.body.graceMs));
    },
  );
  registerUsage(server, services);
}

function registerUsage(server: FastifyInstance, services: AdminServices): void {
  const { usage, store } = services;
  server.get<{ Querystring: Query }>("/usage", async (request) => {
    const { query } = request;
    const reach = reachOf(request, services);
    const named = query.app === undefined ? undefined : reach.app(query.app);
    const figures = usage.usage({ ...named, sinceMs: readCount(query, "since") ?? 0 });
    // One that was deleted has figures still; one that never was has a mistyped name.
    if (figures.length === 0 && named !== undefined) store.apps.get(named);
    return figures.filter((each) => reach.covers(each));
  });
  server.get("/metrics", async (request, reply) => {
    reachOf(request, services).checkWhole();
    return reply.type("text/plain; version=0.0.4; charset=utf-8").send(await usage.metrics());
  });
}

/** @throws ProductError `CLOUD_KEY_UNKNOWN` also for a key of an organisation out of reach */
function checkReach(request: FastifyRequest<Named>, services: AdminServices): void {
  const { isWhole, organisation } = reachOf(request, services);
  services.keys.find(request.params.id, isWhole ? undefined : organisation);
}
