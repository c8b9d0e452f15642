// Routes of an organisation's secrets and an app's variables. Secret values are never returned.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { mainEnvironment } from "../../app-name.ts";
import { looksSecret } from "../../inspection/environment-snapshot.ts";
import type { SecretOwner } from "../../state/secret-store.ts";
import { accessOf } from "../access.ts";
import type { SecretDocument, VariableDocument } from "../documents.ts";
import type { Query } from "../read-query.ts";
import { SecretBody, VariablesBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

export function registerSecrets(server: FastifyInstance, services: AdminServices): void {
  const { secrets, apps } = services.store;
  const ownerOf = (request: FastifyRequest<{ Querystring: Query }>): SecretOwner => {
    const { organisation } = accessOf(request, services);
    const { environment = mainEnvironment } = request.query;
    services.store.environments.check(organisation, environment);
    return { organisation, environment };
  };
  server.get<{ Querystring: Query }>("/secrets", async (request) => {
    const owner = ownerOf(request);
    return secrets.secrets(owner).map((stored): SecretDocument => ({ ...owner, ...stored }));
  });
  server.put<{ Params: { name: string }; Body: SecretBody; Querystring: Query }>(
    "/secrets/:name",
    { schema: { body: SecretBody } },
    async (request, reply) => {
      secrets.setSecret(ownerOf(request), request.params.name, request.body.value);
      return reply.code(204).send();
    },
  );
  server.delete<{ Params: { name: string }; Querystring: Query }>(
    "/secrets/:name",
    async (request, reply) => {
      secrets.deleteSecret(ownerOf(request), request.params.name);
      return reply.code(204).send();
    },
  );
  const appOf = (request: FastifyRequest<{ Params: { app: string } }>) =>
    apps.get(accessOf(request, services).app(request.params.app));
  server.get<{ Params: { app: string } }>("/apps/:app/env", async (request) =>
    secrets.variables(appOf(request)).map(({ name, value, updatedAt }): VariableDocument => {
      const isMasked = looksSecret(name);
      return { name, value: isMasked ? "********" : value, isMasked, updatedAt };
    }),
  );
  server.put<{ Params: { app: string }; Body: VariablesBody }>(
    "/apps/:app/env",
    { schema: { body: VariablesBody } },
    async (request, reply) => {
      secrets.setVariables(appOf(request), request.body.values);
      return reply.code(204).send();
    },
  );
  server.delete<{ Params: { app: string; name: string } }>(
    "/apps/:app/env/:name",
    async (request, reply) => {
      secrets.deleteVariable(appOf(request), request.params.name);
      return reply.code(204).send();
    },
  );
}
