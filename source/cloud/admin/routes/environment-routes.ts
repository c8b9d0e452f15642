// Routes of environments, and of the promotion of an app from one to another.
import type { FastifyInstance } from "fastify";
import { accessOf, callerOf } from "../access.ts";
import { EnvironmentBody, PromoteBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";
import { streamDocuments } from "../stream-documents.ts";

export function registerEnvironments(server: FastifyInstance, services: AdminServices): void {
  const { environments, secrets } = services.store;
  server.get("/environments", async (request) =>
    environments.list(accessOf(request, services).organisation),
  );
  server.post<{ Body: EnvironmentBody }>(
    "/environments",
    { schema: { body: EnvironmentBody } },
    async (request, reply) => {
      const { name, description } = request.body;
      const { organisation } = accessOf(request, services);
      return reply.code(201).send(environments.create(organisation, name, description));
    },
  );
  server.delete<{ Params: { name: string } }>("/environments/:name", async (request, reply) => {
    const { organisation } = accessOf(request, services);
    const environment = request.params.name;
    environments.remove(organisation, environment);
    secrets.forgetEnvironment({ organisation, environment });
    return reply.code(204).send();
  });
  server.post<{ Params: { app: string }; Body: PromoteBody }>(
    "/apps/:app/promote",
    { schema: { body: PromoteBody } },
    async (request, reply) => {
      const key = accessOf(request, services).app(request.params.app);
      const createdBy = callerOf(request.raw)?.keyId;
      return await streamDocuments(reply, services.log, () =>
        services.controlPlane.promote(key, request.body, createdBy),
      );
    },
  );
}
