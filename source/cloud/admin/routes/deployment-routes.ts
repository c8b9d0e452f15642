// Routes of lasting deployments and of ephemeral apps, which live as long as their connection.
import type { FastifyInstance } from "fastify";
import { accessOf } from "../access.ts";
import { callerOf } from "../caller.ts";
import type { DeploymentRequest } from "../documents.ts";
import { DeploymentBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";
import { connectionSignal, streamDocuments } from "../stream-documents.ts";

/** 64 MiB of files as base64, plus the other fields. */
const largestBodyBytes = 96 * 1024 * 1024;

export function registerDeployments(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane, log } = services;
  const options = { schema: { body: DeploymentBody }, bodyLimit: largestBodyBytes };
  server.post<{ Body: DeploymentRequest }>("/deployments", options, async (request, reply) => {
    const { body } = request;
    const events = await controlPlane.deploy(body, {
      organisation: accessOf(request, services).organisationFor(body.organisation),
      createdBy: callerOf(request.raw)?.keyId,
    });
    return await streamDocuments(reply, events, { signal: connectionSignal(reply), log });
  });
  server.post<{ Body: DeploymentRequest }>("/ephemeral", options, async (request, reply) => {
    const { body } = request;
    const signal = connectionSignal(reply);
    const organisation = accessOf(request, services).organisationFor(body.organisation);
    const events = await controlPlane.run(body, organisation, signal);
    return await streamDocuments(reply, events, { signal, log });
  });
}
