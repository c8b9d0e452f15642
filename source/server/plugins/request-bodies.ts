// Keeps the bodies of requests, where the operator wants it: to look at, and to send once more.
import type { FastifyInstance } from "fastify";
import type { Transcripts } from "../../request-log/transcripts.ts";

export function recordBodies(app: FastifyInstance, transcripts: Transcripts): void {
  app.addHook("preHandler", async ({ record, body }) => {
    if (!transcripts.isRecording || record === undefined) return;
    if (body === null || typeof body !== "object") return;
    transcripts.addBody(record.id, JSON.stringify(body));
  });
}
