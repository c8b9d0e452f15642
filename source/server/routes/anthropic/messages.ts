// POST /v1/messages of Anthropic's API
import type { FastifyInstance } from "fastify";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { replyWithNamedEvents } from "../named-events.ts";
import { MessageAnswer } from "./message-answer.ts";
import { MessageBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";

export function registerMessages(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, scheduler, log, stablePrompts } = dependencies;
  app.post<{ Body: MessageBody }>(
    "/v1/messages",
    { schema: { body: MessageBody } },
    async (request, reply) => {
      const { body, record } = request;
      const stream = body.stream === true;
      if (record !== undefined) {
        requestLog.update(record, { model: body.model, stream });
        reply.header("request-id", record.id);
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const canonical = toCanonical(body, model, { isFileAllowed, log, stablePrompts });
      const work = { canonical, model, stream };
      const answer = new MessageAnswer(body, record?.id);
      return await replyWithNamedEvents(dependencies, request, reply, work, answer);
    },
  );
}
