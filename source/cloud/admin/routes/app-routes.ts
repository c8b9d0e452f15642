// Routes of apps, their revisions and their replicas.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type { AppKey } from "../../state/app-records.ts";
import { accessOf } from "../access.ts";
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
  const keyOf = named(services);
  server.get("/apps", async (request) => {
    const access = accessOf(request, services);
    return controlPlane.apps().filter((app) => access.covers(app));
  });
  server.get<{ Params: AppParameters }>("/apps/:app", async (request) =>
    controlPlane.app(keyOf(request)),
  );
  server.delete<{ Params: AppParameters }>("/apps/:app", async (request, reply) => {
    await controlPlane.delete(keyOf(request));
    return reply.code(204).send();
  });
  server.patch<{ Params: AppParameters; Body: ScaleBody }>(
    "/apps/:app/scale",
    { schema: { body: ScaleBody } },
    async (request) => {
      const { reset, fields = {} } = request.body;
      return controlPlane.scale(keyOf(request), reset ? undefined : fields);
    },
  );
  server.post<{ Params: AppParameters }>("/apps/:app/pause", async (request) =>
    controlPlane.pause(keyOf(request)),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/resume", async (request) =>
    controlPlane.resume(keyOf(request)),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/rollout", async (request, reply) => {
    const signal = connectionSignal(reply);
    const events = controlPlane.rollout(keyOf(request));
    return await streamDocuments(reply, events, { signal, log: services.log });
  });
  server.post<{ Params: AppParameters; Body: ActivateBody }>(
    "/apps/:app/active",
    { schema: { body: ActivateBody } },
    async (request, reply) => {
      const signal = connectionSignal(reply);
      const events = controlPlane.activate(keyOf(request), request.body);
      return await streamDocuments(reply, events, { signal, log: services.log });
    },
  );
  registerRevisions(server, services);
  registerReplicas(server, services);
}

function registerRevisions(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane } = services;
  const keyOf = named(services);
  server.get<{ Params: AppParameters }>("/apps/:app/revisions", async (request) =>
    controlPlane.revisions(keyOf(request)),
  );
  server.delete<{ Params: RevisionParameters }>(
    "/apps/:app/revisions/:revision",
    async (request, reply) => {
      await controlPlane.deleteRevision(keyOf(request), request.params.revision);
      return reply.code(204).send();
    },
  );
  server.put<{ Params: RevisionParameters; Body: PinBody }>(
    "/apps/:app/revisions/:revision/pin",
    { schema: { body: PinBody } },
    async (request, reply) => {
      const { params, body } = request;
      controlPlane.pinRevision(keyOf(request), params.revision, body.isPinned);
      return reply.code(204).send();
    },
  );
}

function registerReplicas(server: FastifyInstance, services: AdminServices): void {
  const { controlPlane } = services;
  const keyOf = named(services);
  server.get("/replicas", async (request) => {
    const access = accessOf(request, services);
    return controlPlane.replicas().filter((replica) => access.covers(replica));
  });
  server.get<{ Params: AppParameters }>("/apps/:app/replicas", async (request) =>
    controlPlane.replicas(keyOf(request)),
  );
  server.post<{ Params: ReplicaParameters; Body: StopReplicaBody }>(
    "/replicas/:replica/stop",
    { schema: { body: StopReplicaBody } },
    async (request, reply) => {
      controlPlane.stopReplica(replicaOf(request, services), request.body);
      return reply.code(202).send();
    },
  );
  server.post<{ Params: ReplicaParameters }>("/replicas/:replica/kill", async (request, reply) => {
    controlPlane.killReplica(replicaOf(request, services));
    return reply.code(202).send();
  });
}

/** Resolves the app that a request's path names. */
function named(services: AdminServices): (request: FastifyRequest<Named>) => AppKey {
  return (request) => accessOf(request, services).app(request.params.app);
}

interface Named {
  Params: AppParameters;
}

function replicaOf(
  request: FastifyRequest<{ Params: ReplicaParameters }>,
  services: AdminServices,
): string {
  const { replica } = request.params;
  const record = services.store.replicas.find(replica);
  // The control plane reports a replica that does not exist.
  if (record === undefined || accessOf(request, services).covers(record)) return replica;
  throw new ProductError(cloudErrors.replicaUnknown, {
    message: `Replica ${replica} does not exist.`,
    hint: "Run `deployctl runners list` to see all replicas.",
  });
}
