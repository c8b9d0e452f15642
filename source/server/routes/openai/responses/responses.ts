// POST /v1/responses: stateless, nothing is stored.
import type { FastifyInstance } from "fastify";
import { fileAccess } from "../../../access.ts";
import type { ServerDependencies } from "../../../dependencies.ts";
import { replyWithNamedEvents } from "../../named-events.ts";
import { withField } from "../error-field.ts";
import { ResponseAnswer } from "./response-answer.ts";
import { ResponseBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";

export function registerResponses(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { requestLog, scheduler, log, stablePrompts } = dependencies;
  app.post<{ Body: ResponseBody }>(
    "/v1/responses",
    { schema: { body: ResponseBody } },
    async (request, reply) => {
      const { body } = request;
      const stream = body.stream === true;
      if (request.record !== undefined) {
        requestLog.update(request.record, { model: body.model, stream });
      }
      const isFileAllowed = fileAccess(request, dependencies);
      const model = await scheduler.resolve({ model: body.model, isFileAllowed });
      const canonical = toCanonical(body, model, { isFileAllowed, log, stablePrompts });
      const work = { canonical, model, stream };
      const answer = new ResponseAnswer(body);
      try {
        return await replyWithNamedEvents(dependencies, request, reply, work, answer);
      } catch (error) {
        throw withField(error, canonical, "text.format");
      }
    },
  );
}
