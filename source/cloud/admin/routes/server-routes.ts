// Routes of the control plane itself: status, shutdown, and its database.
import type { FastifyInstance } from "fastify";
import { listBackups } from "../../state/backups.ts";
import { accessOf } from "../access.ts";
import type { ServerStatus, StateCheck } from "../documents.ts";
import { StopBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

export function registerServer(server: FastifyInstance, services: AdminServices): void {
  const { database } = services.store;
  server.get("/status", async (request): Promise<ServerStatus> => {
    const access = accessOf(request, services);
    const status = services.status();
    if (access.isServerWide) return status;
    const { documents } = services.controlPlane;
    const apps = documents.apps().filter((app) => access.covers(app)).length;
    const replicas = documents.livingReplicas().filter((each) => access.covers(each)).length;
    return { ...status, nodes: undefined, organisation: access.organisation, apps, replicas };
  });
  server.post<{ Body: StopBody }>(
    "/stop",
    { schema: { body: StopBody } },
    async (request, reply) => {
      accessOf(request, services).requireServerAccess();
      await reply.code(202).send();
      services.stop(request.body);
      return reply;
    },
  );
  server.get("/state/check", async (request): Promise<StateCheck> => {
    accessOf(request, services).requireServerAccess();
    const { file } = database;
    return { file, problems: database.check(), backups: listBackups(file) };
  });
  server.post("/state/backup", async (request, reply) => {
    accessOf(request, services).requireServerAccess();
    return reply.code(201).send({ file: database.backup() });
  });
}
