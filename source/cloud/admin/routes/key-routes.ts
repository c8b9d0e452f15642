// Keys, and what was done with them.
import type { FastifyInstance } from "fastify";
import { type Query, readAppReference, readCount, readFlag } from "../read-query.ts";
import { KeyBody, RotateBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

export function registerKeys(server: FastifyInstance, services: AdminServices): void {
  const { keys, usage } = services;
  server.get("/keys", async () => keys.list());
  server.post<{ Body: KeyBody }>("/keys", { schema: { body: KeyBody } }, async ({ body }, reply) =>
    reply.code(201).send(keys.create(body)),
  );
  server.delete<{ Params: { id: string }; Querystring: Query }>(
    "/keys/:id",
    async ({ params, query }) => keys.revoke(params.id, readFlag(query, "hard")),
  );
  server.post<{ Params: { id: string }; Body: RotateBody }>(
    "/keys/:id/rotate",
    { schema: { body: RotateBody } },
    async ({ params, body }, reply) => reply.code(201).send(keys.rotate(params.id, body.graceMs)),
  );
  server.get<{ Querystring: Query }>("/usage", async ({ query }) => {
    const named =
      query.app === undefined ? undefined : readAppReference(query.app, services.organisation);
    const figures = usage.usage({ ...named, sinceMs: readCount(query, "since") ?? 0 });
    // One that was deleted has figures still; one that never was has a mistyped name.
    if (figures.length === 0 && named !== undefined) services.store.apps.get(named);
    return figures;
  });
  server.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await usage.metrics()),
  );
}
