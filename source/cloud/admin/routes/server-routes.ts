// The control plane itself: how it fares, how it stops, and its database.
import type { FastifyInstance } from "fastify";
import { listBackups } from "../../state/backups.ts";
import type { ServerStatus, StateCheck } from "../documents.ts";
import { reachOf } from "../reach.ts";
import { StopBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

export function registerServer(server: FastifyInstance, services: AdminServices): void {
  const { database } = services.store;
  server.get("/status", async (request): Promise<ServerStatus> => {
    const reach = reachOf(request, services);
    const status = services.status();
    if (reach.isWhole) return status;
    const { controlPlane } = services;
    const apps = controlPlane.apps().filter((app) => reach.covers(app)).length;
    const replicas = controlPlane.livingReplicas().filter((each) => reach.covers(each)).length;
    return { ...status, organisation: reach.organisation, apps, replicas };
  });
  server.post<{ Body: StopBody }>(
    "/stop",
    { schema: { body: StopBody } },
    async (request, reply) => {
      reachOf(request, services).checkWhole();
      await reply.code(202).send();
      services.stop(request.body);
      return reply;
    },
  );
  server.get("/state/check", async (request): Promise<StateCheck> => {
    reachOf(request, services).checkWhole();
    const { file } = database;
    return { file, complaints: database.check(), backups: listBackups(file) };
  });
  server.post("/state/backup", async (request, reply) => {
    reachOf(request, services).checkWhole();
    return reply.code(201).send({ file: database.backup() });
  });
}
