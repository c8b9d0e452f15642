// POST /v1/messages and /v1/messages/count_tokens of Anthropic's API
import type { FastifyReply } from "fastify";
import type { Routes } from "../../dependencies.ts";
import { clientSignal, findModel } from "../../run-request.ts";
import { replyWithNamedEvents } from "../named-events.ts";
import { MessageAnswer } from "./message-answer.ts";
import { CountTokensBody, MessageBody } from "./schema.ts";
import { toCanonical, toPromptRequest } from "./to-canonical.ts";

export const anthropicRoutes: Routes = async (app, { dependencies }) => {
  const { requestLog, scheduler } = dependencies;
  app.post<{ Body: MessageBody }>(
    "/messages",
    { schema: { body: MessageBody } },
    async (request, reply) => {
      const { body, record } = request;
      nameRequest(reply);
      const { model, rules } = await findModel(dependencies, reply, body);
      const canonical = toCanonical(body, model, rules);
      const work = { canonical, model, stream: body.stream === true };
      const answer = new MessageAnswer(body, record?.id);
      return await replyWithNamedEvents(dependencies, reply, work, answer);
    },
  );
  app.post<{ Body: CountTokensBody }>(
    "/messages/count_tokens",
    { schema: { body: CountTokensBody } },
    async (request, reply) => {
      const { body, record } = request;
      nameRequest(reply);
      const { model, rules } = await findModel(dependencies, reply, { model: body.model });
      const prompt = { ...toPromptRequest(body, model, rules), onWarning: rules.warn };
      const tokens = await scheduler.countTokens(prompt, model, clientSignal(reply));
      if (record !== undefined) requestLog.update(record, { promptTokens: tokens });
      return { input_tokens: tokens };
    },
  );
};

/** Sends the id under Anthropic's name for it. */
function nameRequest(reply: FastifyReply): void {
  const { record } = reply.request;
  if (record !== undefined) reply.header("request-id", record.id);
}
