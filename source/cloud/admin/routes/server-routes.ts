// The control plane itself: how it fares, how it stops, and its database.
import type { FastifyInstance } from "fastify";
import { listBackups } from "../../state/backups.ts";
import type { StateCheck } from "../documents.ts";
import { StopBody } from "../schemas.ts";
import type { AdminServices } from "../services.ts";

export function registerServer(server: FastifyInstance, services: AdminServices): void {
  const { database } = services.store;
  server.get("/status", async () => services.status());
  server.post<{ Body: StopBody }>(
    "/stop",
    { schema: { body: StopBody } },
    async ({ body }, reply) => {
      await reply.code(202).send();
      services.stop(body);
      return reply;
    },
  );
  server.get("/state/check", async (): Promise<StateCheck> => {
    const { file } = database;
    return { file, complaints: database.check(), backups: listBackups(file) };
  });
  server.post("/state/backup", async (_request, reply) =>
    reply.code(201).send({ file: database.backup() }),
  );
}
