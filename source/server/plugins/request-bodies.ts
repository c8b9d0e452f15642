// Records request bodies while recording is on, for viewing and replaying.
import type { FastifyInstance } from "fastify";
import type { Transcripts } from "../../request-log/transcripts.ts";

export function recordBodies(app: FastifyInstance, transcripts: Transcripts): void {
  app.addHook("preHandler", async ({ record, body }) => {
    if (!transcripts.isRecording || record === undefined) return;
    if (body === null || typeof body !== "object") return;
    transcripts.addBody(record.id, JSON.stringify(body));
  });
}
