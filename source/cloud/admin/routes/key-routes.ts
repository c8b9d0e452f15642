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
    const app = query.app === undefined ? {} : readAppReference(query.app, services.organisation);
    return usage.usage({ ...app, sinceMs: readCount(query, "since") ?? 0 });
  });
  server.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await usage.metrics()),
  );
}
