// POST /v1/responses: stateless, nothing is stored.
import type { FastifyInstance } from "fastify";
import type { ServerDependencies } from "../../../dependencies.ts";
import { findModel } from "../../../run-request.ts";
import { replyWithNamedEvents } from "../../named-events.ts";
import { withField } from "../error-field.ts";
import { OfferedTools } from "./offered-tools.ts";
import { ResponseAnswer } from "./response-answer.ts";
import { ResponseBody } from "./schema.ts";
import { toCanonical } from "./to-canonical.ts";

export function registerResponses(app: FastifyInstance, dependencies: ServerDependencies): void {
  app.post<{ Body: ResponseBody }>(
    "/responses",
    { schema: { body: ResponseBody } },
    async (request, reply) => {
      const { body } = request;
      const { model, rules } = await findModel(dependencies, reply, body);
      const tools = new OfferedTools();
      const canonical = toCanonical(body, model, rules, tools);
      const work = { canonical, model, stream: body.stream === true };
      try {
        return await replyWithNamedEvents(
          dependencies,
          reply,
          work,
          new ResponseAnswer(body, tools),
        );
      } catch (error) {
        throw withField(error, canonical, "text.format");
      }
    },
  );
}
