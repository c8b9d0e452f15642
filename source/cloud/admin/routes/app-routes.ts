// Apps, their revisions and their replicas.
import type { FastifyInstance } from "fastify";
import { readAppReference } from "../read-query.ts";
import { ActivateBody, PinBody, ScaleBody, StopReplicaBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";
import { connectionSignal, streamDocuments } from "../stream-documents.ts";

interface AppParameters {
  app: string;
}

interface RevisionParameters extends AppParameters {
  revision: string;
}

interface ReplicaParameters {
  replica: string;
}

export function registerApps(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane } = services;
  const keyOf = ({ app }: AppParameters) => readAppReference(app, services.organisation);
  server.get("/apps", async () => controlPlane.apps());
  server.get<{ Params: AppParameters }>("/apps/:app", async ({ params }) =>
    controlPlane.app(keyOf(params)),
  );
  server.delete<{ Params: AppParameters }>("/apps/:app", async ({ params }, reply) => {
    await controlPlane.delete(keyOf(params));
    return reply.code(204).send();
  });
  server.patch<{ Params: AppParameters; Body: ScaleBody }>(
    "/apps/:app/scale",
    { schema: { body: ScaleBody } },
    async ({ params, body }) =>
      controlPlane.scale(keyOf(params), body.reset ? undefined : (body.fields ?? {})),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/pause", async ({ params }) =>
    controlPlane.pause(keyOf(params)),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/resume", async ({ params }) =>
    controlPlane.resume(keyOf(params)),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/rollout", async (request, reply) => {
    const signal = connectionSignal(reply);
    const events = controlPlane.rollout(keyOf(request.params));
    return await streamDocuments(reply, events, { signal, log: services.log });
  });
  server.post<{ Params: AppParameters; Body: ActivateBody }>(
    "/apps/:app/active",
    { schema: { body: ActivateBody } },
    async (request, reply) => {
      const signal = connectionSignal(reply);
      const events = controlPlane.activate(keyOf(request.params), request.body);
      return await streamDocuments(reply, events, { signal, log: services.log });
    },
  );
  registerRevisions(server, services);
  registerReplicas(server, services);
}

function registerRevisions(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane } = services;
  const keyOf = ({ app }: AppParameters) => readAppReference(app, services.organisation);
  server.get<{ Params: AppParameters }>("/apps/:app/revisions", async ({ params }) =>
    controlPlane.revisions(keyOf(params)),
  );
  server.delete<{ Params: RevisionParameters }>(
    "/apps/:app/revisions/:revision",
    async ({ params }, reply) => {
      await controlPlane.deleteRevision(keyOf(params), params.revision);
      return reply.code(204).send();
    },
  );
  server.put<{ Params: RevisionParameters; Body: PinBody }>(
    "/apps/:app/revisions/:revision/pin",
    { schema: { body: PinBody } },
    async ({ params, body }, reply) => {
      controlPlane.pinRevision(keyOf(params), params.revision, body.isPinned);
      return reply.code(204).send();
    },
  );
}

function registerReplicas(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane } = services;
  server.get("/replicas", async () => controlPlane.replicas());
  server.get<{ Params: AppParameters }>("/apps/:app/replicas", async ({ params }) =>
    controlPlane.replicas(readAppReference(params.app, services.organisation)),
  );
  server.post<{ Params: ReplicaParameters; Body: StopReplicaBody }>(
    "/replicas/:replica/stop",
    { schema: { body: StopReplicaBody } },
    async ({ params, body }, reply) => {
      controlPlane.stopReplica(params.replica, body);
      return reply.code(202).send();
    },
  );
  server.post<{ Params: ReplicaParameters }>(
    "/replicas/:replica/kill",
    async ({ params }, reply) => {
      controlPlane.killReplica(params.replica);
      return reply.code(202).send();
    },
  );
}
