// POST /v1/messages/count_tokens: prompt length of a message
import type { FastifyInstance } from "fastify";
import { fileAccess } from "../../access.ts";
import type { ServerDependencies } from "../../dependencies.ts";
import { clientSignal } from "../../run-request.ts";
import { CountTokensBody } from "./schema.ts";
import { toPromptRequest } from "./to-canonical.ts";

export function registerCountTokens(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, scheduler, log, stablePrompts } = dependencies;
  app.post<{ Body: CountTokensBody }>(
    "/v1/messages/count_tokens",
    { schema: { body: CountTokensBody } },
    async (request, reply) => {
      const { body, record } = request;
      if (record !== undefined) {
        requestLog.update(record, { model: body.model });
        reply.header("request-id", record.id);
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const prompt = toPromptRequest(body, model, { isFileAllowed, log, stablePrompts });
      const tokens = await scheduler.countTokens(prompt, model, clientSignal(reply));
      if (record !== undefined) requestLog.update(record, { promptTokens: tokens });
      return { input_tokens: tokens };
    },
  );
}
