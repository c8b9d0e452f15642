// Secrets of the organisation and variables of an app. A secret's value never leaves again.
import type { FastifyInstance } from "fastify";
import type { VariableDocument } from "../documents.ts";
import { readAppReference } from "../read-query.ts";
import { SecretBody, VariablesBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

/** Names whose values are not shown. */
const secretName = /key|token|secret|password/i;

export function registerSecrets(server: FastifyInstance, services: AdminServices): void {
  const { organisation } = services;
  const { secrets, apps } = services.store;
  server.get("/secrets", async () =>
    secrets.secrets(organisation).map((stored) => ({ organisation, ...stored })),
  );
  server.put<{ Params: { name: string }; Body: SecretBody }>(
    "/secrets/:name",
    { schema: { body: SecretBody } },
    async ({ params, body }, reply) => {
      secrets.setSecret(organisation, params.name, body.value);
      return reply.code(204).send();
    },
  );
  server.delete<{ Params: { name: string } }>("/secrets/:name", async ({ params }, reply) => {
    secrets.deleteSecret(organisation, params.name);
    return reply.code(204).send();
  });
  const appOf = (text: string) => apps.get(readAppReference(text, organisation));
  server.get<{ Params: { app: string } }>("/apps/:app/env", async ({ params }) =>
    secrets.variables(appOf(params.app)).map(({ name, value, updatedAt }): VariableDocument => {
      const isMasked = secretName.test(name);
      return { name, value: isMasked ? "********" : value, isMasked, updatedAt };
    }),
  );
  server.put<{ Params: { app: string }; Body: VariablesBody }>(
    "/apps/:app/env",
    { schema: { body: VariablesBody } },
    async ({ params, body }, reply) => {
      secrets.setVariables(appOf(params.app), body.values);
      return reply.code(204).send();
    },
  );
  server.delete<{ Params: { app: string; name: string } }>(
    "/apps/:app/env/:name",
    async ({ params }, reply) => {
      secrets.deleteVariable(appOf(params.app), params.name);
      return reply.code(204).send();
    },
  );
}
