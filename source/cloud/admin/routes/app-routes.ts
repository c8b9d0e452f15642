// Routes of deployments, apps, their revisions and their replicas.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ProductError } from "../../../base/product-error.ts";
import { cloudErrors } from "../../errors.ts";
import type { AppKey } from "../../state/app-records.ts";
import { accessOf, callerOf } from "../access.ts";
import type { DeploymentRequest } from "../documents.ts";
import {
  ActivateBody,
  DeploymentBody,
  PinBody,
  ScaleBody,
  StopReplicaBody,
  TrafficBody,
} from "../schemas.ts";
import type { AdminServices } from "../services.ts";
import { streamDocuments } from "../stream-documents.ts";

/** 64 MiB of files as base64, plus the other fields. */
const largestBodyBytes = 96 * 1024 * 1024;

interface AppParameters {
  app: string;
}

interface RevisionParameters extends AppParameters {
  revision: string;
}

interface ReplicaParameters {
  replica: string;
}

/** Lasting deployments, and ephemeral apps, which live as long as their connection. */
export function registerDeployments(server: FastifyInstance, services: AdminServices): void {
  const { deployments, runs } = services.controlPlane;
  const { log } = services;
  const options = { schema: { body: DeploymentBody }, bodyLimit: largestBodyBytes };
  server.post<{ Body: DeploymentRequest }>("/deployments", options, async (request, reply) => {
    const { body } = request;
    const organisation = accessOf(request, services).organisationFor(body.organisation);
    const createdBy = callerOf(request.raw)?.keyId;
    return await streamDocuments(reply, log, () =>
      deployments.deploy(body, { organisation, createdBy }),
    );
  });
  server.post<{ Body: DeploymentRequest }>("/ephemeral", options, async (request, reply) => {
    const { body } = request;
    const organisation = accessOf(request, services).organisationFor(body.organisation);
    return await streamDocuments(reply, log, (signal) => runs.run(body, organisation, signal));
  });
}

export function registerApps(server: FastifyInstance, services: AdminServices): void {
  const { commands, deployments, documents } = services.controlPlane;
  const keyOf = named(services);
  server.get("/apps", async (request) => {
    const access = accessOf(request, services);
    return documents.apps().filter((app) => access.covers(app));
  });
  server.get<{ Params: AppParameters }>("/apps/:app", async (request) =>
    documents.app(keyOf(request)),
  );
  server.delete<{ Params: AppParameters }>("/apps/:app", async (request, reply) => {
    await commands.delete(keyOf(request));
    return reply.code(204).send();
  });
  server.patch<{ Params: AppParameters; Body: ScaleBody }>(
    "/apps/:app/scale",
    { schema: { body: ScaleBody } },
    async (request) => {
      const { reset, fields = {} } = request.body;
      const key = keyOf(request);
      commands.scale(key, reset ? undefined : fields);
      return documents.app(key);
    },
  );
  server.post<{ Params: AppParameters }>("/apps/:app/pause", async (request) => {
    const key = keyOf(request);
    commands.pause(key);
    return documents.app(key);
  });
  server.post<{ Params: AppParameters }>("/apps/:app/resume", async (request) => {
    const key = keyOf(request);
    commands.resume(key);
    return documents.app(key);
  });
  server.post<{ Params: AppParameters }>("/apps/:app/rollout", async (request, reply) => {
    return await streamDocuments(reply, services.log, () =>
      deployments.replaceReplicas(keyOf(request)),
    );
  });
  server.post<{ Params: AppParameters; Body: ActivateBody }>(
    "/apps/:app/active",
    { schema: { body: ActivateBody } },
    async (request, reply) => {
      return await streamDocuments(reply, services.log, () =>
        deployments.activate(keyOf(request), request.body),
      );
    },
  );
  registerRevisions(server, services);
  registerTraffic(server, services);
  registerReplicas(server, services);
}

function registerRevisions(server: FastifyInstance, services: AdminServices): void {
  const { commands, documents } = services.controlPlane;
  const keyOf = named(services);
  server.get<{ Params: AppParameters }>("/apps/:app/revisions", async (request) =>
    documents.revisions(keyOf(request)),
  );
  server.delete<{ Params: RevisionParameters }>(
    "/apps/:app/revisions/:revision",
    async (request, reply) => {
      await commands.deleteRevision(keyOf(request), request.params.revision);
      return reply.code(204).send();
    },
  );
  server.put<{ Params: RevisionParameters; Body: PinBody }>(
    "/apps/:app/revisions/:revision/pin",
    { schema: { body: PinBody } },
    async (request, reply) => {
      const { params, body } = request;
      commands.pinRevision(keyOf(request), params.revision, body.isPinned);
      return reply.code(204).send();
    },
  );
}

function registerTraffic(server: FastifyInstance, services: AdminServices): void {
  const { traffic, documents } = services.controlPlane;
  const { log } = services;
  const keyOf = named(services);
  server.put<{ Params: AppParameters; Body: TrafficBody }>(
    "/apps/:app/traffic",
    { schema: { body: TrafficBody } },
    async (request, reply) =>
      await streamDocuments(reply, log, () =>
        traffic.set(keyOf(request), request.body.shares).read(),
      ),
  );
  server.post<{ Params: AppParameters }>("/apps/:app/traffic/promote", async (request, reply) => {
    return await streamDocuments(reply, log, () => traffic.promote(keyOf(request)).read());
  });
  server.delete<{ Params: AppParameters }>("/apps/:app/traffic", async (request) => {
    const key = keyOf(request);
    await traffic.abort(key);
    return documents.app(key);
  });
}

function registerReplicas(server: FastifyInstance, services: AdminServices): void {
  const { commands, documents } = services.controlPlane;
  const keyOf = named(services);
  server.get("/replicas", async (request) => {
    const access = accessOf(request, services);
    return documents.replicas().filter((replica) => access.covers(replica));
  });
  server.get<{ Params: AppParameters }>("/apps/:app/replicas", async (request) =>
    documents.replicas(keyOf(request)),
  );
  server.post<{ Params: ReplicaParameters; Body: StopReplicaBody }>(
    "/replicas/:replica/stop",
    { schema: { body: StopReplicaBody } },
    async (request, reply) => {
      commands.stopReplica(replicaOf(request, services), request.body);
      return reply.code(202).send();
    },
  );
  server.post<{ Params: ReplicaParameters }>("/replicas/:replica/kill", async (request, reply) => {
    commands.killReplica(replicaOf(request, services));
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
